import { toJson, UnreadableError } from './contract.ts'
import type { HttpClient, HttpResponse } from './http-client.ts'

/** What the laws about lists look at in a campaign, as the response has it. */
export interface ListedCampaign {
  id: string
  isActive: boolean
  chainId: number
  owner: string
}

/** A page of a list: which entries, and how many there are on all pages; undefined where it does not say. */
interface Page<Entry> {
  entries: Entry[]
  total: number | undefined
  /** Of a page of a walk. */
  nextCursor?: string | null | undefined
}

/** A list that is read page by page. */
export interface Listing<Entry> {
  path: string
  identify: (entry: Entry) => string
  read: (response: HttpResponse) => Page<Entry>
}

const toEntries = <Entry>(value: unknown) => (Array.isArray(value) ? (value as Entry[]) : [])

export const campaigns: Listing<ListedCampaign> = {
  path: '/campaigns',
  identify: ({ id }) => id,
  read({ text }) {
    const body = toJson(text) as
      | { campaigns?: unknown; totalCampaigns?: unknown; nextCursor?: string | null }
      | undefined
    const total = typeof body?.totalCampaigns === 'number' ? body.totalCampaigns : undefined
    return { entries: toEntries<ListedCampaign>(body?.campaigns), total, nextCursor: body?.nextCursor }
  },
}

export const tokens: Listing<{ id: string }> = {
  path: '/tokens',
  identify: ({ id }) => id,
  read({ text }) {
    const body = toJson(text) as { tokens?: unknown; totalTokens?: unknown } | undefined
    const total = typeof body?.totalTokens === 'number' ? body.totalTokens : undefined
    return { entries: toEntries<{ id: string }>(body?.tokens), total }
  },
}

export const contracts: Listing<{ chainId: number; address: string }> = {
  path: '/explore/contracts',
  identify: ({ chainId, address }) => `${chainId}:${address}`,
  read({ text, headers }) {
    const total = headers.get('x-total-count')
    return { entries: toEntries(toJson(text)), total: total === null ? undefined : Number(total) }
  },
}

export async function readPage<Entry>({ send }: HttpClient, { path, read }: Listing<Entry>, query = '') {
  return read(await send(`${path}${query === '' ? '' : `?${query}`}`))
}

/** Where a response says that another page is: path and query. @throws UnreadableError */
export function linkTo(relation: string, { path, headers }: HttpResponse) {
  const [, reference] = new RegExp(`<([^>]*)>; *rel="${relation}"`).exec(headers.get('link') ?? '') ?? []
  if (reference === undefined) return undefined
  const base = `http://deployment.example${path}`
  if (!URL.canParse(reference, base)) throw new UnreadableError(`${path} has a Link to what is no URL`)
  const { pathname, search } = new URL(reference, base)
  return pathname + search
}

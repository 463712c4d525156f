import { type Operation, requireDocumented, UnreadableError } from './contract.ts'
import type { HttpClient } from './http-client.ts'
import { campaigns, type Listing, readPage, tokens } from './listings.ts'

/** An operation that can be asked. */
export interface Target {
  operation: Operation
  /** Leads somewhere, and has the parameters that are required. */
  path: string
  /** The same with these parameters too, which replace others of their names. */
  urlOf: (parameters?: Readonly<Record<string, string>>) => string
}

/** A series needs its ends; of a day that is over everywhere. */
const REQUIRED_WITH: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  interval: { since: '2024-01-01T00:00:00Z', until: '2024-01-02T00:00:00Z' },
}

/** The public operations; those that need a campaign or a token only where there is one. */
export async function findTargets(http: HttpClient, operations: readonly Operation[]): Promise<Target[]> {
  const documented = requireDocumented(http, operations)
  const [campaign, token] = await Promise.all([findFirst(documented, campaigns), findFirst(documented, tokens)])
  const known: Record<string, string | undefined> = {
    ...{ id: campaign?.id, campaignId: campaign?.id, address: campaign?.owner, user: campaign?.owner },
    token: token?.id,
  }
  return operations
    .filter(({ isProtected }) => !isProtected)
    .flatMap((operation) => {
      const path = operation.path.replace(/\{(\w+)\}/g, (whole, name) => known[name] ?? whole)
      const required = operation.queryParameters.filter((parameter) => parameter.required)
      const query: Record<string, string> = {}
      for (const { name } of required) if (known[name] !== undefined) query[name] = known[name]
      if (path.includes('{') || Object.keys(query).length < required.length) return []
      return [{ operation, path: toUrl(path, query), urlOf: (given = {}) => toUrl(path, { ...query, ...given }) }]
    })
}

/** The first entry of a list; none of one that cannot be read, which the checks find. */
async function findFirst<Entry>(http: HttpClient, listing: Listing<Entry>) {
  try {
    const { entries } = await readPage(http, listing, 'pageSize=1')
    return entries[0]
  } catch (error) {
    if (error instanceof UnreadableError) return undefined
    throw error
  }
}

/** Other parameters that a parameter of this name cannot be without. */
export const companionsOf = (name: string) => REQUIRED_WITH[name] ?? {}

// Colons stay, as people write them.
const toUrl = (path: string, query: Readonly<Record<string, string>>) =>
  [path, new URLSearchParams(query).toString().replaceAll('%3A', ':')].filter((part) => part !== '').join('?')

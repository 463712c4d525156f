import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/connection/client.ts'
import { hasPlaceholder, splitAtMarks } from './placeholders.ts'
import { campaignDocuments } from './tables.ts'

export { fillDocument } from './placeholders.ts'

/** The part of a campaign that changes without its record: see the function `campaign_states`. */
export interface CampaignState {
  key: number
  /** The version of its document. */
  version: string
  isActive: string
  /** Milliseconds since 1970 at which that changes without any write; infinite if it never does. */
  changesAt: number
  /** Four values for each incentive: amount and number of its claims, what it can still pay, and its token. */
  figures: readonly string[]
}

/** A campaign with its document, both of one moment. */
export interface Campaign {
  state: CampaignState
  document: string
}

/** The columns `id` and `state` of campaigns by their keys, as `shown`, at the placeholder `now`. */
export const campaignStates = (keys: SQL) =>
  sql`campaign_states(${keys}, ${sql.placeholder('now')}::timestamptz) as shown`

const { body, allowList, actionSteps, detailAllowList, detail } = campaignDocuments

const documentOf = {
  trending: sql<string>`${body} || '}'`,
  list: sql<string>`${body} || ',"allowList":' || coalesce(${allowList}, 'null')
    || ',"actionSteps":' || coalesce(${actionSteps}, 'null') || '}'`,
  detail: sql<string>`${body} || ',"allowList":' || coalesce(${detailAllowList}, ${allowList})
    || ',"actionSteps":' || coalesce(${actionSteps}, '[]') || ${detail}`,
}

type Form = keyof typeof documentOf

/** Memory of a document besides its text. */
const ENTRY_BYTES = 400

/** Two bytes for each character of a text if one of them needs that. */
export const bytesOf = (text: string) => text.length * (/[^\0-\xff]/.test(text) ? 2 : 1)

interface StoredDocument {
  version: string
  text: string
}

/** Caches documents in memory, in their forms, by campaign, up to a number of bytes. */
export const createDocumentCache = (maxBytes: number) =>
  new LRUCache<string, StoredDocument>({
    maxSize: maxBytes,
    sizeCalculation: ({ text }) => ENTRY_BYTES + bytesOf(text),
  })

/** Reads documents in one form; only those from the database that are not cached in the wanted version. */
export function createDocumentReader(cache: ReturnType<typeof createDocumentCache>, database: Database, form: Form) {
  const statement = prepareDocuments(database, form)

  /** Documents by the keys of their campaigns: in the version of the state, or as they are stored by now. */
  async function readDocuments(states: readonly CampaignState[]) {
    const found = new Map<number, StoredDocument>()
    const missing = new Set<number>()
    for (const { key, version } of states) {
      const document = cache.get(`${form} ${key}`)
      if (document?.version === version) found.set(key, document)
      else missing.add(key)
    }
    if (missing.size === 0) return found
    for (const { key, ...document } of await statement.execute({ keys: [...missing] })) {
      cache.set(`${form} ${key}`, document)
      found.set(Number(key), document)
    }
    return found
  }

  /**
   * Reads rows with the states of campaigns, and their documents: if one has been written in between, both are read
   * again, so that all is of the moment of the rows.
   */
  return async function readWith<Row extends { state: string | null }>(read: () => Promise<readonly Row[]>) {
    for (;;) {
      const rows = (await read()).map((row) => ({ row, state: row.state === null ? undefined : parseState(row.state) }))
      const states = rows.flatMap(({ state }) => state ?? [])
      const documents = await readDocuments(states)
      if (!states.every(({ key, version }) => documents.get(key)?.version === version)) continue
      return rows.map(({ row, state }) => {
        const document = state && documents.get(state.key)
        return { ...row, campaign: state && document && { state, document: document.text } }
      })
    }
  }
}

function parseState(text: string): CampaignState {
  const [key, version = '', isActive = '', changesAt, ...figures] = splitAtMarks(text)
  return {
    ...{ key: Number(key), version, isActive, figures },
    changesAt: changesAt === '' ? Number.POSITIVE_INFINITY : Number(changesAt),
  }
}

/** Whether the document leaves out the addresses of the allow list, which may be hundreds of thousands. */
export const lacksAddresses = ({ document }: Campaign) => hasPlaceholder(document, 'addresses')

const prepareDocuments = (database: Database, form: Form) =>
  database
    .select({
      key: sql<string>`${campaignDocuments.campaignKey}`,
      version: campaignDocuments.version,
      text: documentOf[form],
    })
    .from(campaignDocuments)
    .where(sql`${campaignDocuments.campaignKey} = any(${sql.placeholder('keys')}::bigint[])`)
    .prepare(`${form}_documents`)

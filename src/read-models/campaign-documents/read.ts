import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/client.ts'
import { fillPlaces, hasPlace, splitAtMarks, type ValueAt } from './places.ts'
import { campaignDocuments } from './tables.ts'

/** What changes in a campaign without its record: see the function `campaign_states`. */
export interface CampaignState {
  /** All of it, as the database says it. */
  text: string
  key: number
  /** The version of its document. */
  version: string
  isActive: string
  /** Milliseconds since 1970 at which that changes although nothing is written; infinite where it never does. */
  changesAt: number
  /** Of each incentive four values: amount and number of its claims, what it can still pay, and its token. */
  figures: readonly string[]
}

/** A document in memory, with what was last put into its places: right for one state and one version of the tokens. */
interface KeptDocument {
  readonly version: string
  readonly pieces: readonly string[]
  filled?: { state: string; tokenVersion: string; pieces: readonly string[] }
}

/** A campaign with its document, both of one moment. */
export interface Campaign {
  state: CampaignState
  document: KeptDocument
}

/** The columns `id` and `state` of campaigns by their keys, as `shown`, at the placeholder `now`. */
export const campaignStates = (keys: SQL) =>
  sql`campaign_states(${keys}, ${sql.placeholder('now')}::timestamptz) as shown`

const { body, allowList, actionSteps, detailAllowList, detail } = campaignDocuments

const documentOf = {
  list: sql<string>`${body} || ',"allowList":' || coalesce(${allowList}, 'null')
    || ',"actionSteps":' || coalesce(${actionSteps}, 'null') || '}'`,
  detail: sql<string>`${body} || ',"allowList":' || coalesce(${detailAllowList}, ${allowList})
    || ',"actionSteps":' || coalesce(${actionSteps}, '[]') || ${detail}`,
}

type Form = keyof typeof documentOf

/** What a document takes besides its text. */
const ENTRY_BYTES = 1000

/** Two for each character of a text where one of them needs that. */
const bytesOf = (text: string) => text.length * (/[^\0-\xff]/.test(text) ? 2 : 1)

/** Keeps documents in memory, in their forms, by campaign: at most so many bytes. */
export const createDocumentCache = (maxBytes: number) => new LRUCache<string, KeptDocument>({ maxSize: maxBytes })

/** Reads documents in one form; from the database only what is not in memory in the version that is wanted. */
export function createDocumentReader(cache: ReturnType<typeof createDocumentCache>, database: Database, form: Form) {
  const statement = prepareDocuments(database, form)

  /** Those of some states; a document that has been written or has gone since is not there. */
  async function readDocuments(states: readonly CampaignState[]) {
    const found = new Map<string, KeptDocument>()
    const missing = new Set<number>()
    for (const { key, version } of states) {
      const document = cache.get(`${form} ${key}`)
      if (document?.version === version) found.set(version, document)
      else missing.add(key)
    }
    if (missing.size === 0) return found
    for (const { key, version, text } of await statement.execute({ keys: [...missing] })) {
      const document: KeptDocument = { version, pieces: splitAtMarks(text) }
      cache.set(`${form} ${key}`, document, { size: ENTRY_BYTES + bytesOf(text) })
      found.set(version, document)
    }
    return found
  }

  /**
   * Reads rows with the states of campaigns, and the documents that belong to these: where one has been written meanwhile,
   * both are read again, so that all is of the one moment of the rows.
   */
  return async function readWith<Row extends { state: string | null }>(read: () => Promise<readonly Row[]>) {
    for (;;) {
      const rows = (await read()).map((row) => ({ row, state: row.state === null ? undefined : parseState(row.state) }))
      const states = rows.flatMap(({ state }) => state ?? [])
      const documents = await readDocuments(states)
      if (!states.every(({ version }) => documents.has(version))) continue
      return rows.map(({ row, state }) => {
        const document = state && documents.get(state.version)
        return { ...row, campaign: state && document ? { state, document } : undefined }
      })
    }
  }
}

function parseState(text: string): CampaignState {
  const [key, version = '', isActive = '', changesAt, ...figures] = splitAtMarks(text)
  return {
    ...{ text, key: Number(key), version, isActive, figures },
    changesAt: changesAt === '' ? Number.POSITIVE_INFINITY : Number(changesAt),
  }
}

/** Whether the document leaves out the addresses of the allow list, of which there may be hundreds of thousands. */
export const lacksAddresses = ({ document }: Campaign) => hasPlace(document.pieces, 'addresses')

/** The JSON of a campaign as it was last made, if nothing has changed since. */
export function recallJson({ state, document: { filled } }: Campaign, tokenVersion: string) {
  if (filled?.state === state.text && filled.tokenVersion === tokenVersion) return filled.pieces.join('')
}

/** The JSON of a campaign: its document with what belongs into its places. It is kept, unless addresses belong there. */
export function makeJson(campaign: Campaign, tokenVersion: string, valueAt: ValueAt) {
  const { state, document } = campaign
  const pieces = fillPlaces(document.pieces, valueAt)
  if (!lacksAddresses(campaign)) document.filled = { state: state.text, tokenVersion, pieces }
  return pieces.join('')
}

/** The text of a document, or of its beginning, with the same value in all places. */
export const openDocument = (text: string, value: string) => fillPlaces(splitAtMarks(text), () => value).join('')

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

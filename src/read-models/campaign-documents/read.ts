import { type SQL, sql } from 'drizzle-orm'
import { campaignDocuments } from './tables.ts'

/** Marks a placeholder in documents, and separates values: a character that never occurs in JSON text. */
const MARK = '\u0001'

/** The names of placeholders: see make_campaign_documents for their meaning. */
const PLACEHOLDERS = ['isActive', 'availableBudgetUsd', 'addresses', 'claimedAmount', 'claimCount', 'token'] as const
type PlaceholderName = (typeof PLACEHOLDERS)[number]

/** The value of a placeholder; `of` identifies it if there are several of that name. */
type ValueAt = (name: PlaceholderName, of: string) => string | undefined

const known: ReadonlySet<string> = new Set(PLACEHOLDERS)
const isPlaceholder = (name: string): name is PlaceholderName => known.has(name)

/** Alternating texts and placeholders of a document; or the state of a campaign, as its values. */
export const splitAtMarks = (text: string) => text.split(MARK)

export const hasPlaceholder = (document: string, name: PlaceholderName) => document.includes(MARK + name + MARK)

/**
 * A document, or a part of one, with values in place of its placeholders. @throws TypeError if one is unknown, or has
 * no value.
 */
export function fillDocument(document: string, valueAt: ValueAt): string {
  const pieces = splitAtMarks(document)
  for (let index = 1; index < pieces.length; index += 2) {
    const placeholder = pieces[index] ?? ''
    const colon = placeholder.indexOf(':')
    const name = colon === -1 ? placeholder : placeholder.slice(0, colon)
    const value = isPlaceholder(name) ? valueAt(name, colon === -1 ? '' : placeholder.slice(colon + 1)) : undefined
    if (value === undefined) throw new TypeError(`a document has a placeholder without a value: ${placeholder}`)
    pieces[index] = value
  }
  return pieces.join('')
}

/** The part of a campaign that changes without its record: see the function `campaign_states`. */
export interface CampaignState {
  key: number
  isActive: string
  /** Milliseconds since 1970 at which that changes without any write; infinite if it never does. */
  changesAt: number
  /** Four values for each incentive: amount and number of its claims, what it can still pay, and its token. */
  incentiveValues: readonly string[]
}

const { body, allowList, actionSteps, detailAllowList, detail } = campaignDocuments

const documentOf = {
  trending: sql`${body} || '}'`,
  list: sql`${body} || ',"allowList":' || coalesce(${allowList}, 'null')
    || ',"actionSteps":' || coalesce(${actionSteps}, 'null') || '}'`,
  detail: sql`${body} || ',"allowList":' || coalesce(${detailAllowList}, ${allowList})
    || ',"actionSteps":' || coalesce(${actionSteps}, '[]') || ${detail}`,
}

type Form = keyof typeof documentOf

/** In a select: the document of the campaign with a key, found by the index, however few there were when that was planned. */
export const documentAt = (key: SQL, form: Form) =>
  sql<string>`(select ${documentOf[form]} from ${campaignDocuments} where ${campaignDocuments.campaignKey} = ${key})`

/** The columns `id`, `state` and `document` of campaigns by their keys, as `shown`, at the placeholder `now`. */
export const campaignsAt = (keys: SQL, form: Form) => sql`(
  select id, state, ${documentAt(sql`split_part(state, chr(1), 1)::bigint`, form)} as document
  from campaign_states(${keys}, ${sql.placeholder('now')}::timestamptz) as found) as shown`

/** The state of a campaign from its column. */
export function parseState(text: string): CampaignState {
  const [key, , isActive = '', changesAt, ...incentiveValues] = splitAtMarks(text)
  return {
    ...{ key: Number(key), isActive, incentiveValues },
    changesAt: changesAt === '' ? Number.POSITIVE_INFINITY : Number(changesAt),
  }
}

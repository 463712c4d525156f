import { Big } from 'big.js'
import type { Database } from '../../database/connection/open-database.ts'
import { createTokenStore, type Tokens } from '../../database/lookups/token-metadata-cache.ts'
import {
  type CampaignState,
  fillDocument,
  hasPlaceholder,
  parseState,
} from '../../read-models/campaign-documents/read.ts'
import { createCurrentValues, type DataVersion, type DataVersionReader } from '../../read-models/data-version/read.ts'
import type { StateRow } from './campaign-rows.ts'

/** A campaign as it is shown, in a response of its own or on a page. */
export interface Shown {
  key: number
  /** Milliseconds since 1970 at which it changes without any write; infinite if it never does. */
  changesAt: number
  /** Whether the addresses of its allow list are still to be read; null stands for them. */
  lacksAddresses: boolean
  json: string
}

/** Memory for campaigns as they are shown, about 48,000 of them. */
const MAX_BYTES = 96 * 1024 * 1024
/** Memory of an entry besides its text. */
const ENTRY_BYTES = 400

/** Two bytes for each character of a text if one of them needs that. */
const bytesOf = (text: string) => text.length * (/[^\0-\xff]/.test(text) ? 2 : 1)

/** Campaigns in one form: as in a list, or in detail. */
export interface ShownReader {
  /** Reads rows with their campaigns, and the tokens of these, as of one moment; they are of the instant `now`. */
  read<Row extends StateRow>(
    read: () => Promise<readonly Row[]>,
    now: Date,
  ): Promise<(Row & { shown: Shown | undefined })[]>
  /** The campaign with a key in a list, or with the ID of a detail, if it is in memory and current. */
  lookup(name: number | string, version: DataVersion, now: Date): Shown | undefined
}

/** Reads campaigns, and caches them as they are shown. */
export function createShownCampaigns(lookups: Database, versions: DataVersionReader) {
  const tokenStore = createTokenStore(lookups)
  const known = createCurrentValues<Shown>(versions, {
    maxBytes: MAX_BYTES,
    sizeOf: ({ json }) => bytesOf(json) + ENTRY_BYTES,
    dependenciesOf: ({ key }) => ({ campaignKeys: [key], onLists: false }),
  })

  return (form: 'list' | 'detail'): ShownReader => ({
    async read(read, now) {
      const { rows, tokens } = await tokenStore.readWith(
        async () =>
          (await read()).map((row) => ({ ...row, campaign: row.state === null ? undefined : parseState(row.state) })),
        ({ campaign }) => (campaign ? tokenIdsOf(campaign) : []),
      )
      return rows.map((row) => {
        const { campaign, document, addresses } = row
        if (campaign === undefined || document === null) return { ...row, shown: undefined }
        const { key, changesAt } = campaign
        // It may have hundreds of thousands.
        const lacksAddresses = addresses == null && hasPlaceholder(document, 'addresses')
        const shown = { key, changesAt, lacksAddresses, json: toJson(document, campaign, tokens, addresses ?? 'null') }
        const validity = { stamp: row.stamp, since: now.getTime(), until: changesAt }
        if (addresses === undefined) known.store(`${form} ${row.id ?? key}`, shown, validity)
        return { ...row, shown }
      })
    },
    lookup: (name, version, now) => known.lookup(`${form} ${name}`, version, now.getTime()),
  })
}

/** How many values a state has of an incentive, and their indexes. */
const VALUES_PER_INCENTIVE = 4
const COUNT = 1
const REMAINING = 2
const TOKEN = 3

/** The tokens that a response about a campaign shows, or needs for sums. */
const tokenIdsOf = ({ incentiveValues }: CampaignState) =>
  incentiveValues.filter((value, index) => index % VALUES_PER_INCENTIVE === TOKEN && value !== '')

/** The JSON of a campaign; `addresses` are those that its document leaves out, if it does. */
function toJson(document: string, { isActive, incentiveValues }: CampaignState, tokens: Tokens, addresses: string) {
  return fillDocument(document, (name, of) => {
    if (name === 'isActive') return isActive
    if (name === 'availableBudgetUsd') return toAvailableBudgetUsd(incentiveValues, tokens)
    if (name === 'addresses') return addresses
    if (name === 'token') return tokens.get(of)?.metadata ?? 'null'
    return incentiveValues[VALUES_PER_INCENTIVE * Number(of) + (name === 'claimCount' ? COUNT : 0)]
  })
}

/** Exact: products and a sum, rounded once. Null if a price is unknown, or no incentive pays a token. */
function toAvailableBudgetUsd(incentiveValues: readonly string[], tokens: Tokens) {
  let sum: Big | undefined
  for (let start = 0; start < incentiveValues.length; start += VALUES_PER_INCENTIVE) {
    const token = incentiveValues[start + TOKEN]
    if (!token) continue
    const price = tokens.get(token)?.baseUnitPriceUsd
    if (price === undefined) return 'null'
    sum = price.times(incentiveValues[start + REMAINING] ?? '').plus(sum ?? 0)
  }
  return sum === undefined ? 'null' : `"${sum.round(6, Big.roundHalfUp).toFixed()}"`
}

/** The tokens of JSON that show its structure: strings, which may contain anything, and punctuation. */
const STRUCTURE = /"(?:[^"\\]|\\.)*"|[{}[\],]/g

/**
 * A JSON object with some of its members, unchanged and in their order. Reads the text once and parses no values:
 * placeholders in a document stay as they are.
 */
export function withFields(object: string, names: readonly string[]): string {
  const chosen: string[] = []
  let depth = 0
  let start = 0
  let key: string | undefined
  for (const { 0: token, index } of object.matchAll(STRUCTURE)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (token !== ',' && depth === 1 && key === undefined) {
      key = token.slice(1, -1)
      start = index
    }
    const isEnd = (token === ',' && depth === 1) || depth === 0
    if (!isEnd || key === undefined) continue
    if (names.includes(key)) chosen.push(object.slice(start, index))
    key = undefined
  }
  return `{${chosen.join(',')}}`
}

import { type CampaignRecord, changesAtOf } from '../../database/lookups/campaign-records.ts'
import type { TokenStore } from '../../database/lookups/token-metadata-cache.ts'
import { createCurrentValues, type DataVersion, type DataVersionReader } from '../../read-models/data-version/read.ts'
import { lacksAddresses, toDetail, tokenIdsOf, toListItem } from './campaign-items.ts'
import type { RecordRow } from './campaign-rows.ts'

/** A campaign as it is shown, in a response of its own or on a page. */
export interface Shown {
  key: number
  /** Milliseconds since 1970 at which it changes without any write; infinite if it never does. */
  changesAt: number
  /** Whether the addresses of its allow list are still to be read. */
  lacksAddresses: boolean
  json: string
  /** Addresses that are not in the JSON: they may be hundreds of thousands. */
  addresses?: string
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
  read<Row extends RecordRow>(
    read: () => Promise<readonly Row[]>,
    now: Date,
  ): Promise<(Row & { shown: Shown | undefined })[]>
  /** The campaign with a key in a list, or with the ID of a detail, if it is in memory and current. */
  lookup(name: number | string, version: DataVersion, now: Date): Shown | undefined
}

/** How each form is rendered, and by what it is looked up. */
const forms = {
  list: { render: toListItem, nameOf: ({ key }: CampaignRecord) => key, lacksAddresses: () => false },
  detail: { render: toDetail, nameOf: ({ id }: CampaignRecord) => id, lacksAddresses },
}

/** Reads campaigns, and caches them as they are shown. */
export function createShownCampaigns(tokenStore: TokenStore, versions: DataVersionReader) {
  const known = createCurrentValues<Shown>(versions, {
    maxBytes: MAX_BYTES,
    sizeOf: ({ json }) => bytesOf(json) + ENTRY_BYTES,
    dependenciesOf: ({ key }) => ({ campaignKeys: [key], onLists: false }),
  })

  return (form: keyof typeof forms): ShownReader => ({
    async read(read, now) {
      const instant = now.getTime()
      const { render, nameOf, lacksAddresses } = forms[form]
      const { rows, tokens } = await tokenStore.readWith(read, ({ record }) => (record ? tokenIdsOf(record) : []))
      return rows.map((row) => {
        const { record, addresses } = row
        if (record === null) return { ...row, shown: undefined }
        const changesAt = changesAtOf(record, instant)
        const shown = {
          ...{ key: record.key, changesAt, lacksAddresses: addresses === undefined && lacksAddresses(record) },
          json: JSON.stringify(render(record, tokens, instant)),
          ...(addresses && { addresses }),
        }
        // It may have hundreds of thousands of addresses.
        if (addresses === undefined)
          known.store(`${form} ${nameOf(record)}`, shown, { stamp: row.stamp, since: instant, until: changesAt })
        return { ...row, shown }
      })
    },
    lookup: (name, version, now) => known.lookup(`${form} ${name}`, version, now.getTime()),
  })
}

/** The JSON of a campaign, or some members of it, in their order. */
export function jsonOf({ json, addresses }: Shown, fields?: readonly string[]) {
  const chosen = fields === undefined ? json : withFields(json, fields)
  return addresses === undefined ? chosen : withAddresses(chosen, addresses)
}

const NO_ADDRESSES = '"addresses":[]'

/** Inserts addresses as text. No other member has that name, and within a text its quotation marks are escaped. */
function withAddresses(json: string, addresses: string) {
  const place = json.indexOf(NO_ADDRESSES)
  if (place === -1) return json
  const end = place + NO_ADDRESSES.length - 1
  return `${json.slice(0, end)}${addresses}${json.slice(end)}`
}

/** A JSON object with some of its members, in their order. */
export function withFields(json: string, names: readonly string[]): string {
  const members: [name: string, value: unknown][] = Object.entries(JSON.parse(json))
  return JSON.stringify(Object.fromEntries(members.filter(([name]) => names.includes(name))))
}

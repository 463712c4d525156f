import type { Database } from '../../database/connection/client.ts'
import { createTokenStore } from '../../database/lookups/token-metadata-cache.ts'
import { hasPlaceholder, parseState } from '../../read-models/campaign-documents/read.ts'
import { createCurrentValues, type DataVersion, type DataVersionReader } from '../../read-models/data-version/read.ts'
import { toJson, tokenIdsOf } from './campaign-responses.ts'
import type { StateRow } from './campaign-rows.ts'

/** A campaign as it is shown, in a response of its own or on a page. */
export interface Shown {
  key: number
  /** Milliseconds since 1970 at which it changes without any write; infinite if it never does. */
  changesAt: number
  /** Whether the addresses of its allow list are still to be read; in their place stands null. */
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

/** Reads campaigns, and keeps them in memory as they are shown. */
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

import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/client.ts'
import { tokenVersion } from '../../database/lookups/token-metadata-cache.ts'
import { allowListAddresses } from '../../database/tables/campaigns/allow-lists.ts'
import { campaigns } from '../../database/tables/campaigns/campaigns.ts'
import { campaignStates } from '../../read-models/campaign-documents/read.ts'
import { campaignPages, type WalkedPage } from '../../read-models/campaign-search/read.ts'
import { revisionStamp } from '../../read-models/data-version/read.ts'

/** A row with the state of a campaign, and with the addresses of its allow list if the document leaves them out. */
export interface StateRow {
  tokenVersion: string
  stamp: string
  id?: string
  state: string | null
  addresses?: string | null
}

const snapshotColumns = { tokenVersion, stamp: revisionStamp }

/** Rows of two kinds: pages by the position of their search, without campaigns, and the campaigns of all pages. */
export function prepareList(database: Database, name: string) {
  return database
    .select({
      ...snapshotColumns,
      nth: sql<number | null>`answer.nth`,
      total: sql<number | null>`answer.total`,
      listsVersion: sql<string | null>`answer.lists_version`,
      changesAt: sql<number | null>`answer.changes_at`,
      facetCounts: sql<string | null>`answer.facet_counts`,
      keys: sql<string | null>`answer.keys`,
      walked: sql<WalkedPage | null>`answer.walk`,
      state: sql<string | null>`answer.state`,
    })
    .from(sql`(
      with page as materialized (select * from ${campaignPages} as pages)
      select nth, total, lists_version, changes_at, facet_counts, array_to_string(keys, ',') as keys, walk, null as state from page
      union all
      select null, null, null, null, null, null, null, shown.state
      from ${campaignStates(sql`array(select distinct unnest(keys) from page)`)}
    ) as answer`)
    .prepare(name)
}

export const stateColumns = { ...snapshotColumns, id: sql<string>`shown.id`, state: sql<string>`shown.state` }

export const addressesColumn = sql<string | null>`(
  select '[' || string_agg('"' || ${allowListAddresses.address} || '"', ',' order by ${allowListAddresses.address}) || ']'
  from ${allowListAddresses} where ${allowListAddresses.campaignKey} = split_part(shown.state, chr(1), 1)::bigint)`

const keysOfIds = sql`array(
  select ${campaigns.key} from ${campaigns} where ${campaigns.id} = any(${sql.placeholder('ids')}::text[]))`

export const prepareFind = <Columns extends typeof stateColumns>(database: Database, name: string, columns: Columns) =>
  database.select(columns).from(campaignStates(keysOfIds)).prepare(name)

export const prepareStates = (database: Database) =>
  database
    .select({ ...snapshotColumns, state: stateColumns.state })
    .from(campaignStates(sql`${sql.placeholder('keys')}::bigint[]`))
    .prepare('campaign_states')

import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { tokenVersion } from '../../database/lookups/token-metadata-cache.ts'
import { allowListAddresses } from '../../database/tables/address-lists.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { campaignsAt } from '../../read-models/campaign-documents/read.ts'
import { campaignPages, type WalkedPage } from '../../read-models/campaign-search/read.ts'
import { revisionStamp } from '../../read-models/data-version/read.ts'

/** A row with the state and the document of a campaign, and with the addresses of its allow list if the document leaves them out. */
export interface StateRow {
  tokenVersion: string
  stamp: string
  id?: string
  state: string | null
  document: string | null
  addresses?: string | null
}

const snapshotColumns = { tokenVersion, stamp: revisionStamp }

const keysOfPages = sql`array(select distinct unnest(keys) from page where ${sql.placeholder('withCampaigns')}::boolean)`

/**
 * Rows of two kinds: pages by the position of their search, without campaigns, and the campaigns of all pages, if they
 * are requested.
 */
export function prepareList(database: Database, name: string) {
  return database
    .select({
      ...snapshotColumns,
      nth: sql<number | null>`result.nth`,
      total: sql<number | null>`result.total`,
      listsVersion: sql<string | null>`result.lists_version`,
      changesAt: sql<number | null>`result.changes_at`,
      facetCounts: sql<string | null>`result.facet_counts`,
      keys: sql<string | null>`result.keys`,
      walked: sql<WalkedPage | null>`result.walk`,
      state: sql<string | null>`result.state`,
      document: sql<string | null>`result.document`,
    })
    .from(sql`(
      with page as materialized (select * from ${campaignPages} as pages)
      select nth, total, lists_version, changes_at, facet_counts, array_to_string(keys, ',') as keys, walk, null as state, null as document from page
      union all
      select null, null, null, null, null, null, null, shown.state, shown.document
      from ${campaignsAt(keysOfPages, 'list')}
    ) as result`)
    .prepare(name)
}

const campaignColumns = { ...snapshotColumns, state: sql<string>`shown.state`, document: sql<string>`shown.document` }

export const detailColumns = { ...campaignColumns, id: sql<string>`shown.id` }

export const addressesColumn = sql<string | null>`(
  select '[' || string_agg('"' || ${allowListAddresses.address} || '"', ',' order by ${allowListAddresses.address}) || ']'
  from ${allowListAddresses} where ${allowListAddresses.campaignKey} = split_part(shown.state, chr(1), 1)::bigint)`

const keysOfIds = sql`array(
  select ${campaigns.key} from ${campaigns} where ${campaigns.id} = any(${sql.placeholder('ids')}::text[]))`

export const prepareFind = <Columns extends typeof detailColumns>(database: Database, name: string, columns: Columns) =>
  database.select(columns).from(campaignsAt(keysOfIds, 'detail')).prepare(name)

export const prepareCampaigns = (database: Database) =>
  database
    .select(campaignColumns)
    .from(campaignsAt(sql`${sql.placeholder('keys')}::bigint[]`, 'list'))
    .prepare('campaign_states')

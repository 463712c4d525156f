import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { type CampaignRecord, campaignRecords } from '../../database/lookups/campaign-records.ts'
import { tokenVersion } from '../../database/lookups/token-metadata-cache.ts'
import { allowListAddresses } from '../../database/tables/address-lists.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { campaignPages, type WalkedPage } from '../../read-models/campaign-search/read.ts'
import { revisionStamp } from '../../read-models/data-version/read.ts'

/** A row with the record of a campaign, and with the addresses of its allow list if these are read too. */
export interface RecordRow {
  tokenVersion: string
  stamp: string
  record: CampaignRecord | null
  addresses?: string[] | null
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
      record: sql<CampaignRecord | null>`result.record`,
    })
    .from(sql`(
      with page as materialized (select * from ${campaignPages} as pages)
      select nth, total, lists_version, changes_at, facet_counts, array_to_string(keys, ',') as keys, walk, null as record from page
      union all
      select null, null, null, null, null, null, null, found.record from ${campaignRecords(keysOfPages)} as found
    ) as result`)
    .prepare(name)
}

const recordColumns = { ...snapshotColumns, record: sql<CampaignRecord>`found.record` }

const addressesColumn = sql<string[] | null>`(
  select json_agg(${allowListAddresses.address} order by ${allowListAddresses.address})
  from ${allowListAddresses} where ${allowListAddresses.campaignKey} = found.campaign_key)`

const keysOfIds = sql`array(
  select ${campaigns.key} from ${campaigns} where ${campaigns.id} = any(${sql.placeholder('ids')}::text[]))`

/** Campaigns by their IDs. */
export const prepareFind = (database: Database) =>
  database
    .select(recordColumns)
    .from(sql`${campaignRecords(keysOfIds)} as found`)
    .prepare('find_campaigns')

/** The same with all addresses of their allow lists. */
export const prepareFindWithAddresses = (database: Database) =>
  database
    .select({ ...recordColumns, addresses: addressesColumn })
    .from(sql`${campaignRecords(keysOfIds)} as found`)
    .prepare('find_campaign')

/** Campaigns by their keys. */
export const prepareCampaigns = (database: Database) =>
  database
    .select(recordColumns)
    .from(sql`${campaignRecords(sql`${sql.placeholder('keys')}::bigint[]`)} as found`)
    .prepare('read_campaigns')

import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { type CampaignRecord, campaignRecords } from '../../database/lookups/campaign-records.ts'
import { tokenVersion } from '../../database/lookups/token-metadata-cache.ts'
import { allowListAddresses } from '../../database/tables/address-lists.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { listsVersion, revisionStamp } from '../../read-models/data-version/read.ts'

/** A row with the record of a campaign, and with the addresses of its allow list if these are read too. */
export interface RecordRow {
  tokenVersion: string
  stamp: string
  record: CampaignRecord | null
  /** Ascending, as the inside of a JSON array. */
  addresses?: string | null
}

const recordColumns = { tokenVersion, stamp: revisionStamp, record: sql<CampaignRecord>`found.record` }

/** As one text: as values, hundreds of thousands would take several times the memory. */
const addressesColumn = sql<string | null>`(
  select string_agg('"' || ${allowListAddresses.address} || '"', ',' order by ${allowListAddresses.address})
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
    .select({ ...recordColumns, listsVersion })
    .from(sql`${campaignRecords(sql`${sql.placeholder('keys')}::bigint[]`)} as found`)
    .prepare('read_campaigns')

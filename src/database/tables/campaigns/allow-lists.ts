import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { AllowList } from '../../../schemas/campaigns/allow-lists.ts'
import { address, campaignKey, lowerCaseAddress } from '../../columns.ts'
import { accessLists } from '../users/access-lists.ts'
import { ofCampaign } from './campaigns.ts'

/** Who may claim a campaign; at most one for each campaign. Written with its campaign. */
export const allowLists = pgTable(
  'allow_lists',
  {
    campaignKey: ofCampaign().primaryKey(),
    owner: address().notNull(),
    contractAddress: address().notNull(),
    type: text().$type<AllowList['type']>().notNull(),
    /** The access list of an OffchainAccessList; overrides the one that the chain names, unless null. */
    accessListId: text().references(() => accessLists.id),
    /** The lists that a chain names for an OffchainAccessList; whether they are here is not its business. */
    allowedListIds: text().array().notNull().default(sql`'{}'`),
    deniedListIds: text().array().notNull().default(sql`'{}'`),
    /** Whether its addresses are recorded; a list without any is known to be empty, or not known at all. */
    hasRecordedAddresses: boolean().notNull().default(false),
    /** Number of addresses, so that a list page need not look at a long list. */
    addressCount: integer().notNull(),
  },
  (table) => [
    index('allow_lists_by_access_list').on(table.accessListId),
    lowerCaseAddress('allow_lists_owner_is_lower_case', table.owner),
    lowerCaseAddress('allow_lists_contract_address_is_lower_case', table.contractAddress),
  ],
)

/** An address that an allow list admits or denies. */
export const allowListAddresses = pgTable(
  'allow_list_addresses',
  {
    campaignKey: campaignKey()
      .notNull()
      .references(() => allowLists.campaignKey, { onDelete: 'cascade' }),
    address: address().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.campaignKey, table.address] }),
    // All lists that an address is on.
    index('allow_list_addresses_by_address').on(table.address, table.campaignKey),
    lowerCaseAddress('allow_list_addresses_address_is_lower_case', table.address),
  ],
)

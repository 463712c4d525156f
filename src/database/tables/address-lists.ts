import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { AllowList } from '../../schemas/campaigns/allow-lists.ts'
import { address, campaignKey, instant, lowerCaseAddress, wordStarts } from '../column-types.ts'
import { ofCampaign } from './campaigns.ts'

/** A list of addresses that the service keeps off chain for one of its users. Written by the import; replaced whole. */
export const accessLists = pgTable(
  'access_lists',
  {
    id: text().primaryKey(),
    userId: text().notNull(),
    name: text().notNull(),
    icon: text().notNull(),
    createdAt: instant().notNull(),
    /** Number of members, maintained by the import, so that reads never count the members of large lists. */
    memberCount: integer().notNull().default(0),
    /** The words of the name as searches compare them, each from every start of a word. */
    nameWords: wordStarts().generatedAlwaysAs(sql`word_starts(name)`),
  },
  (table) => [
    index('access_lists_by_user').on(table.userId, table.createdAt),
    index('access_lists_by_members').on(table.userId, table.memberCount),
    index('access_lists_by_words').using('gin', table.nameWords),
    check('access_lists_member_count_is_not_negative', sql`${table.memberCount} >= 0`),
  ],
)

/** Membership of one address in one access list. */
export const accessListMembers = pgTable(
  'access_list_members',
  {
    accessListId: text()
      .notNull()
      .references(() => accessLists.id, { onDelete: 'cascade' }),
    address: address().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accessListId, table.address] }),
    // All lists that an address is on.
    index('access_list_members_by_address').on(table.address, table.accessListId),
    lowerCaseAddress('access_list_members_address_is_lower_case', table.address),
  ],
)

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

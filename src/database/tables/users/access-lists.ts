import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { address, instant, lowerCaseAddress, wordStarts } from '../../columns.ts'

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
    /** The words of the name as searches compare them, each from every place where a word starts. */
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

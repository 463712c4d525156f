import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { accessLists } from '../../database/tables/address-lists.ts'
import { type ListAccessListsQuery, type ListAccessListsResponse, MAX_ACCESS_LISTS } from './access-list-schemas.ts'

export const createAccessListRepository = (database: Database) => ({
  /**
   * The matching lists of a user, by creation or by number of members, and the exact number of all; ties end on the ID,
   * ascending. At most 1,000. Members are never counted here; search words are looked up in an index.
   */
  async list(
    userId: string,
    { search, sortBy, orderBy }: ListAccessListsQuery,
  ): Promise<{ body: ListAccessListsResponse; totalCount: number }> {
    const direction = orderBy === 'ASC' ? asc : desc
    const found = and(
      eq(accessLists.userId, userId),
      // The planner sees the values, so it drops the first condition, or both if a search has no words.
      search === undefined
        ? undefined
        : sql`(words_query(${search}) is null or ${accessLists.nameWords} @@ words_query(${search}))`,
    )
    const rows = await database
      .select({
        id: accessLists.id,
        name: accessLists.name,
        memberCount: accessLists.memberCount,
        createdAt: accessLists.createdAt,
        icon: accessLists.icon,
        // By itself, so that the lists are read in their order and no further than the limit.
        total: database.$count(accessLists, found),
      })
      .from(accessLists)
      .where(found)
      .orderBy(
        direction(sortBy === 'totalMembers' ? accessLists.memberCount : accessLists.createdAt),
        sql`${accessLists.id} collate "C"`,
      )
      .limit(MAX_ACCESS_LISTS)
    return {
      body: {
        accesslists: rows.map(({ total: _, ...list }) => ({ ...list, createdAt: list.createdAt.toISOString() })),
      },
      totalCount: rows[0]?.total ?? 0,
    }
  },
})
export type AccessListRepository = ReturnType<typeof createAccessListRepository>

import { type AnyColumn, and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/client.ts'
import { accessLists } from '../../database/tables/users/access-lists.ts'
import { type ListAccessListsQuery, type ListAccessListsResponse, MAX_ACCESS_LISTS } from './access-list-schemas.ts'

export interface AccessListRepository {
  /**
   * The matching lists of a user, by creation or by number of members, and the exact number of all; ties end on the ID,
   * ascending. At most 1,000. Members are never counted here; search words are looked up in an index.
   */
  list(userId: string, query: ListAccessListsQuery): Promise<{ body: ListAccessListsResponse; totalCount: number }>
}

export const createAccessListRepository = (database: Database): AccessListRepository => ({
  async list(userId, { search, sortBy, orderBy }) {
    const direction = orderBy === 'ASC' ? asc : desc
    const inOrder = ({ id, memberCount, createdAt }: Record<'id' | 'memberCount' | 'createdAt', AnyColumn>) => [
      direction(sortBy === 'totalMembers' ? memberCount : createdAt),
      sql`${id} collate "C"`,
    ]
    const found = and(
      eq(accessLists.userId, userId),
      // The planner sees the values, so it drops the first condition, or both if a search has no words.
      search === undefined
        ? undefined
        : sql`(words_query(${search}) is null or ${accessLists.nameWords} @@ words_query(${search}))`,
    )
    const total = database
      .select({ total: sql<number>`count(*)::integer`.as('total') })
      .from(accessLists)
      .where(found)
    const lists = database
      .select({
        id: accessLists.id,
        name: accessLists.name,
        memberCount: accessLists.memberCount,
        createdAt: accessLists.createdAt,
        icon: accessLists.icon,
      })
      .from(accessLists)
      .where(found)
      .orderBy(...inOrder(accessLists))
      .limit(MAX_ACCESS_LISTS)
      .as('lists')
    // In one statement, so that both are of the same moment; the total is there even if no list is.
    const rows = await database
      .select()
      .from(total.as('total'))
      .leftJoin(lists, sql`true`)
      .orderBy(...inOrder(lists))
    return {
      body: {
        accesslists: rows.flatMap((row) =>
          row.lists === null ? [] : [{ ...row.lists, createdAt: row.lists.createdAt.toISOString() }],
        ),
      },
      totalCount: rows[0]?.total.total ?? 0,
    }
  },
})

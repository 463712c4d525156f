import { type Static, Type } from '@sinclair/typebox'
import { ChangedClaim } from '../../schemas/campaigns/claims.ts'
import { Change, ChangeCursor, changeKinds } from '../../schemas/changes.ts'
import { commaSeparated, integerWithDefault, oneOf, queryOf } from '../../schemas/parameters/query-values.ts'
import { campaignIds, chainIds } from '../../schemas/parameters/shared-parameters.ts'
import { component, listOf, optional, ref } from '../../schemas/schema-builders.ts'

/** The longest time that an empty response may wait. */
const MAX_WAIT_SECONDS = 25

/** Changes of a page. */
export const MAX_PAGE = 1000

export const ListChangesQuery = queryOf({
  after: optional(ChangeCursor, {
    description:
      'Only changes after this one: a `nextCursor` or a `cursor`. Absent: changes from now on. The header `Last-Event-ID` takes precedence.',
  }),
  kind: commaSeparated(oneOf(changeKinds), {
    description: 'Only these kinds; `reset` always comes.',
    example: 'claim.added',
  }),
  campaignId: campaignIds('Only of these campaigns and their claims; `reset` always comes.'),
  chainId: chainIds('Only of these chains; `reset` always comes.'),
  wait: integerWithDefault({
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    example: 0,
    description: 'Seconds that the request waits for a change if there is none; then the response is empty.',
  }),
  pageSize: integerWithDefault({
    minimum: 1,
    maximum: MAX_PAGE,
    default: 100,
    example: 100,
    description: 'Maximum number of changes, at most 1000.',
  }),
})
export type ListChangesQuery = Static<typeof ListChangesQuery>

export const ListChangesResponse = component('ListChangesResponse', 'Changes after a cursor.', {
  changes: listOf(Change, MAX_PAGE, 'In the order of commits. With a filter it may be empty although `hasMore`.'),
  nextCursor: ref(ChangeCursor, 'The `after` of the next request.'),
  hasMore: Type.Boolean({ description: 'Whether there are changes after `nextCursor` already.' }),
})
export type ListChangesResponse = Static<typeof ListChangesResponse>

export const changeSchemas = [ChangeCursor, ChangedClaim, Change, ListChangesResponse]

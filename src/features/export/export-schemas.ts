import { type Static, Type } from '@sinclair/typebox'
import { integerWithDefault, queryOf } from '../../schemas/parameters/query-values.ts'
import { chainIds, cursorPaging, timeRange } from '../../schemas/parameters/shared-parameters.ts'

const MAX_LIMIT = 100_000

const page = {
  chainId: chainIds(),
  cursor: Type.Optional({
    ...cursorPaging.cursor,
    description: 'From the `Link` of the page before, with the same parameters except `limit`.',
  }),
  limit: integerWithDefault({
    minimum: 1,
    maximum: MAX_LIMIT,
    default: 10_000,
    example: 10_000,
    description: `Number of records of a page, at most ${MAX_LIMIT}.`,
  }),
}

export const ExportQuery = queryOf(page)
export const ExportTimeRangeQuery = queryOf({ ...page, ...timeRange })
export type ExportQuery = Static<typeof ExportTimeRangeQuery>

import { readCursor, toCursor } from '../../http/request/cursors.ts'
import { toWalk, toWalkPlace, WALK_PLACE, type Walk, type WalkedPage } from '../../read-models/campaign-search/read.ts'
import { WALK_START } from '../../schemas/parameters/paging.ts'
import type { ListCampaignsQuery } from './campaign-schemas.ts'

const OPERATION = 'listCampaigns'

/** The walk of a request, as far as it has begun; undefined without one. */
export function walkOf(query: ListCampaignsQuery, clock: () => Date): Walk | undefined {
  if (query.cursor === undefined) return undefined
  if (query.cursor === WALK_START) return { instant: clock(), state: {} }
  return toWalk(readCursor(query.cursor, OPERATION, query, WALK_PLACE))
}

/** The part of a response about its walk, besides the page. */
export function toWalkParts(query: ListCampaignsQuery, { instant }: Walk, walked: WalkedPage) {
  const place = toWalkPlace(instant, walked)
  return {
    nextCursor: place === undefined ? null : toCursor(OPERATION, query, place),
    headers: { 'x-changed-since-start': walked.changed },
  }
}

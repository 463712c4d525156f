import createError from '@fastify/error'

/*
 * The failures of requests that this service has besides those that any has. The guide on errors has a section for each.
 */

export const HistoryLostError = createError(
  'HISTORY_LOST',
  'the changes after this cursor are not known any more: export the data anew, and follow from the cursor that comes with it',
  410,
)
export class TooManyStreamsError extends createError(
  'TOO_MANY_STREAMS',
  'too many clients follow the changes of this server, try again shortly',
  503,
) {
  /** Another client may have stopped. */
  readonly retryAfterSeconds = 1
}
export class TooManyExportsError extends createError<[string, number]>(
  'TOO_MANY_EXPORTS',
  'as many exports as %s at a time are being read, try again in %d seconds',
  503,
) {
  readonly retryAfterSeconds: number

  /** @param which the limit that is reached, as the sentence goes on. */
  constructor(which = 'there may be', seconds = 60) {
    super(which, seconds)
    this.retryAfterSeconds = seconds
  }
}
export const SchemaOutdatedError = createError(
  'SCHEMA_OUTDATED',
  'the database schema is older than this version of the service and has to be migrated',
  503,
)
/** The sentence says how far the chains are. */
export class BlockNotReachedError extends createError<[string]>('BLOCK_NOT_REACHED', '%s', 503) {
  /** The block may have arrived. */
  readonly retryAfterSeconds = 1
  /** There are as many missing blocks as callers. */
  readonly isLoggedByCode = true
}
export const ChangingDataError = createError(
  'CHANGING_DATA',
  'could not read a consistent snapshot, try again shortly',
  503,
)
export const DatabaseUnavailableError = createError(
  'DATABASE_UNAVAILABLE',
  'the database cannot be reached or is too slow, try again shortly',
  503,
)

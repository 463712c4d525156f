import { tracingChannel } from 'node:diagnostics_channel'

/** What is told of a question to the database: never its text or its values. */
export interface SentQuery {
  /** The name of its statement; undefined where it has none. */
  readonly statement: string | undefined
  /** Why it failed, once it has. */
  readonly error?: unknown
}

/** Tells of each question when it is asked, and when it is answered or has failed. Costs nothing where nobody listens. */
export const queryChannel = tracingChannel<unknown, SentQuery>('reward-campaigns.query')

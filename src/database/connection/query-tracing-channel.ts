import { tracingChannel } from 'node:diagnostics_channel'

/** What is published about a query: never its text or its values. */
export interface SentQuery {
  /** The name of its statement; undefined if it has none. */
  readonly statement: string | undefined
  /** Its error, once it has failed. */
  readonly error?: unknown
}

/** Publishes when each query starts and ends. Costs nothing without subscribers. */
export const queryChannel = tracingChannel<unknown, SentQuery>('reward-campaigns.query')

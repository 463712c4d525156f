/** What has happened in a service since its start, counted where it happens, for whoever measures it. */
export interface ServiceCounts {
  /** Public answers that memory had, that had to be made, and that were given in place of a database that is away. */
  answers: { kept: number; made: number; stale: number }
  /** Requests with a token that is not valid. */
  failedTokens: number
  /** Requests that were refused, by the limit that they went beyond. */
  beyondLimit: { requests: number; 'failed-attempts': number }
}

export const createServiceCounts = (): ServiceCounts => ({
  answers: { kept: 0, made: 0, stale: 0 },
  failedTokens: 0,
  beyondLimit: { requests: 0, 'failed-attempts': 0 },
})

/** Counts of events since the start of the service, for metrics. */
export const createServiceCounts = () => ({
  /** Public responses: cache hits, misses, and stale ones served while the database is unreachable. */
  cacheResults: { hit: 0, miss: 0, stale: 0 },
  /** Requests with an invalid token. */
  failedTokens: 0,
  /** Requests refused with 429, by the limit that they exceeded. */
  beyondLimit: { requests: 0, 'failed-attempts': 0 },
  /** Streams of changes that were cut off because their clients did not keep up. */
  slowStreams: 0,
  /** Streams of changes and requests that wait for one. */
  streams: () => 0,
  /** Exports that are being read, and those refused because there were too many. */
  exports: { running: 0, refused: 0 },
})
export type ServiceCounts = ReturnType<typeof createServiceCounts>

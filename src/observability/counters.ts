/** Counts of events since the start of the service, for metrics. */
export interface ServiceCounts {
  /** Public responses: cache hits, misses, and stale ones served while the database is unreachable. */
  cacheResults: { hit: number; miss: number; stale: number }
  /** Requests with an invalid token. */
  failedTokens: number
  /** Requests refused with 429, by the limit that they exceeded. */
  beyondLimit: { requests: number; 'failed-attempts': number }
  /** Streams of changes that were cut off because their clients did not keep up. */
  slowStreams: number
  /** Streams of changes and requests that wait for one. */
  streams: () => number
  /** Exports that are being read, and those refused because there were too many. */
  exports: { running: number; refused: number }
}

export const createServiceCounts = (): ServiceCounts => ({
  cacheResults: { hit: 0, miss: 0, stale: 0 },
  failedTokens: 0,
  beyondLimit: { requests: 0, 'failed-attempts': 0 },
  slowStreams: 0,
  streams: () => 0,
  exports: { running: 0, refused: 0 },
})

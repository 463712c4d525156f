import { LRUCache } from 'lru-cache'
import type { Content } from 'reward-campaigns-strict-http/content/representations'
import type { DataVersion, DataVersionReader, Dependencies } from '../read-models/data-version/read.ts'

export interface CachedResponse {
  /** The newest version at which it is known to be current. */
  version: DataVersion
  /** Whether it was certainly made at that version, not at a newer one that was committed meanwhile. */
  isExact: boolean
  /** Milliseconds since 1970: if the clock is set back, a response from the future is not served. */
  renderedAt: number
  /** Milliseconds since 1970 at which it was last known to be current. */
  confirmedAt: number
  /** Milliseconds since 1970 at which it changes without any write. */
  validUntil: number
  content: Content
  /** Headers that are its own. */
  headers: Readonly<Record<string, string>>
  dependencies: Dependencies | undefined
}

/** Memory of an entry besides its bytes and its key: objects, table slots, the allocator (see decision 18). */
const ENTRY_BYTES = 2000

/** Responses in memory by their cache keys, at most `maxBytes`, evicted least recently used first. */
export function createCacheStore({
  maxBytes,
  hasChanged,
}: { maxBytes: number } & Pick<DataVersionReader, 'hasChanged'>) {
  const responses = new LRUCache<string, CachedResponse>({
    // The cache requires a positive size; one byte stores nothing.
    maxSize: Math.max(maxBytes, 1),
    sizeCalculation: ({ content, headers, dependencies }, cacheKey) =>
      ENTRY_BYTES +
      // Links to other pages repeat a long query.
      Object.values(headers).reduce((bytes, value) => bytes + value.length, 0) +
      content.plain.length +
      content.encodedBytes +
      cacheKey.length +
      8 * ((dependencies?.campaignKeys.length ?? 0) + (dependencies?.recordKeys?.length ?? 0)),
  })

  return {
    /** A response that was so slow that one of a newer version is already stored is not stored. */
    keep(cacheKey: string, response: CachedResponse) {
      const other = responses.peek(cacheKey)
      const isLate =
        other !== undefined && other.confirmedAt > response.renderedAt && isEarlier(response.version, other.version)
      if (!isLate) responses.set(cacheKey, response)
    },

    /** Counts the bytes added to a response, if it is still stored. */
    measureAgain(cacheKey: string, response: CachedResponse) {
      if (responses.peek(cacheKey) !== response) return
      // The cache does not measure a value again that it has.
      responses.delete(cacheKey)
      responses.set(cacheKey, response)
    },

    /** The stored response to a request if it is still current at a version; then it is known to be current `now`. */
    lookup(cacheKey: string, version: DataVersion, now: number) {
      const response = responses.get(cacheKey)
      if (response === undefined || response.renderedAt > now || now >= response.validUntil) return undefined
      if (!response.isExact && version.asOf.blocks.size > 0) return undefined
      if (hasChanged(response.version, version, response.dependencies)) return undefined
      response.version = version
      response.confirmedAt = now
      return response
    },

    /** The stored response to a request if it was current less than `withinMs` ago. */
    lookupStale(cacheKey: string, now: number, withinMs: number) {
      const response = responses.get(cacheKey)
      if (response === undefined) return undefined
      const age = now - response.confirmedAt
      return age >= 0 && age < withinMs ? response : undefined
    },
  }
}

const isEarlier = (version: DataVersion, other: DataVersion) =>
  version.history < other.history || (version.history === other.history && version.revision < other.revision)

import { LRUCache } from 'lru-cache'
import type { DataVersion, DataVersionReader, Dependencies } from '../read-models/data-version/read.ts'
import type { Content } from './representations.ts'

export interface CachedResponse {
  /** The newest version at which it is known to be right. */
  version: DataVersion
  /** Whether it is that of its version for certain, and not of one that came while it was being made. */
  isExact: boolean
  /** Milliseconds since 1970: where the clock is set back, a response of later is not given. */
  madeAt: number
  /** Milliseconds since 1970 at which it was last known to be right. */
  confirmedAt: number
  /** Milliseconds since 1970 at which it changes although no data does. */
  validUntil: number
  content: Content
  /** Headers that are its own. */
  headers: Readonly<Record<string, string>>
  dependencies: Dependencies | undefined
}

/** What an entry takes besides its bytes and its question: objects, their places in tables, the allocator (see decision 18). */
const ENTRY_BYTES = 2000

/** Responses in memory by their questions, at most `maxBytes`, those that were asked for last. */
export function createCacheStore({
  maxBytes,
  hasChanged,
}: { maxBytes: number } & Pick<DataVersionReader, 'hasChanged'>) {
  const kept = new LRUCache<string, CachedResponse>({
    // The cache wants a positive size; one byte keeps nothing.
    maxSize: Math.max(maxBytes, 1),
    sizeCalculation: ({ content, dependencies }, cacheKey) =>
      ENTRY_BYTES +
      content.plain.length +
      content.encodedBytes +
      cacheKey.length +
      8 * ((dependencies?.campaignKeys.length ?? 0) + (dependencies?.recordKeys?.length ?? 0)),
  })

  return {
    /** A response that took so long that one of a later version has been known to be right meanwhile is not kept. */
    keep(cacheKey: string, response: CachedResponse) {
      const other = kept.peek(cacheKey)
      const isLate =
        other !== undefined && other.confirmedAt > response.madeAt && isEarlier(response.version, other.version)
      if (!isLate) kept.set(cacheKey, response)
    },

    /** Counts what has come to a response, if it is still kept. */
    measureAgain: (cacheKey: string, response: CachedResponse) =>
      void (kept.peek(cacheKey) === response && kept.set(cacheKey, response)),

    /** The response to a question, if it is still right at a version; it is known to be right `now`, then. */
    lookup(cacheKey: string, version: DataVersion, now: number) {
      const response = kept.get(cacheKey)
      if (response === undefined || response.madeAt > now || now >= response.validUntil) return undefined
      if (!response.isExact && version.asOf.blocks.size > 0) return undefined
      if (hasChanged(response.version, version, response.dependencies)) return undefined
      response.version = version
      response.confirmedAt = now
      return response
    },

    /** The response to a question, if it was right less than `withinMs` ago. */
    lookupStale(cacheKey: string, now: number, withinMs: number) {
      const response = kept.get(cacheKey)
      if (response === undefined) return undefined
      const age = now - response.confirmedAt
      return age >= 0 && age < withinMs ? response : undefined
    },
  }
}

const isEarlier = (version: DataVersion, other: DataVersion) =>
  version.history < other.history || (version.history === other.history && version.revision < other.revision)

import { LRUCache } from 'lru-cache'

/** A total, with the facet counts beside it. */
export interface Counts {
  total: number
  /** JSON of what was counted beside it, without its braces; empty if nothing was. */
  facets: string
}

/** A total in memory. */
interface Known extends Counts {
  /** The state of the lists for which it is right. */
  listsVersion: string
  /** Milliseconds since 1970 between which the clock does not change it. */
  since: number
  until: number
}

/** A page in memory: its total, and the keys of its campaigns. */
export interface KnownPage extends Counts {
  keys: readonly number[]
}

/** The database's result for a search (see `campaign_pages`). */
interface Found {
  /** The `revisionStamp` of the statement. */
  stamp: string
  total: number | null
  listsVersion: string
  changesAt: number | null
  facetCounts: string | null
  keys: readonly number[]
  walked: unknown
}

const MAX_BYTES = 4 * 1024 * 1024
/** Memory of an entry besides its text. */
const ENTRY_BYTES = 300

/** Pages in memory, as long as the lists are those of the statement with this `stamp`, and the clock is between these. */
interface KnownPages<Version> {
  store(search: string, page: KnownPage, read: { stamp: string; since: number; until: number }): void
  lookup(search: string, version: Version, now: number): KnownPage | undefined
}

/**
 * Totals in memory, by search without its page, and pages, by whole search. A total names the state of the lists for
 * which it is right; the statement of another page checks whether that is still current, so that all is of the same
 * moment.
 */
export function createCampaignTotals<Version>(pages: KnownPages<Version>) {
  const totals = new LRUCache<string, Known>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ facets }, filters) => filters.length + facets.length + ENTRY_BYTES,
  })

  function find(search: string, now: Date) {
    const known = totals.get(search)
    const time = now.getTime()
    return known !== undefined && known.since <= time && time < known.until ? known : undefined
  }

  return {
    /** The page of a search (see `toSearchRequest`) without its campaigns, or the total alone, if it is known. */
    lookup(search: string, isTotalAlone: boolean, version: Version, now: Date) {
      return pages.lookup(isTotalAlone ? partsOf(search).filters : search, version, now.getTime())
    },

    /**
     * Searches as JSON for the database, which looks only for what is unknown; and how their totals follow from its
     * result.
     */
    request(searches: readonly string[], now: Date) {
      const requested = searches.map((search) => {
        const { filters, page } = partsOf(search)
        return { search, filters, page, known: find(filters, now) }
      })
      const entries = requested.map(({ filters, page, known }) => {
        const knownLists = JSON.stringify(known?.listsVersion ?? null)
        return `${filters.slice(0, -1)},"known_lists":${knownLists},${page.slice(1)}`
      })
      return {
        json: `[${entries.join(',')}]`,
        totalOf(nth: number, { stamp, total, listsVersion, changesAt, facetCounts, keys, walked }: Found): Counts {
          const { search = '', filters = '', known } = requested[nth - 1] ?? {}
          const since = now.getTime()
          const until = changesAt ?? Number.POSITIVE_INFINITY
          const counts: Known | undefined =
            total === null ? known : { total, facets: toMembers(facetCounts), listsVersion, since, until }
          if (counts === undefined) throw new TypeError('a total is neither known nor counted')
          if (total !== null) totals.set(filters, counts)
          const { facets } = counts
          const read = { stamp, since, until: counts.until }
          pages.store(filters, { total: counts.total, facets, keys: [] }, read)
          if (walked === null) pages.store(search, { total: counts.total, facets, keys }, read)
          return counts
        },
      }
    },
  }
}

/** The members of a JSON object, without spaces. */
const toMembers = (object: string | null) => (object === null ? '' : JSON.stringify(JSON.parse(object)).slice(1, -1))

/** The two lines of a search: JSON about all campaigns, and about the page. */
function partsOf(search: string) {
  const [filters = '', page = ''] = search.split('\n')
  return { filters, page }
}

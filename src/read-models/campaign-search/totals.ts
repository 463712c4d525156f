import { LRUCache } from 'lru-cache'

/** What is in memory of a search. */
interface Known {
  total: number
  /** JSON of what was counted beside it, without its braces; empty if nothing was. */
  facets: string
  /** The keys of the campaigns on its page, separated by commas; absent where the page is not known. */
  keys?: string
  /** The state of the lists for which it is right. */
  listsVersion: string
  /** Milliseconds since 1970 between which the clock does not change it. */
  since: number
  until: number
}

/** A total, with the facet counts beside it. */
export type Counts = Pick<Known, 'total' | 'facets'>

/** The database's result for a search (see `campaign_pages`). */
interface Found {
  total: number | null
  listsVersion: string
  changesAt: number | null
  facetCounts: string | null
  keys: string
  walked: unknown
}

const MAX_BYTES = 4 * 1024 * 1024
/** Memory of an entry besides its text. */
const ENTRY_BYTES = 300

/**
 * Totals in memory, by search without its page, and the keys of pages, by whole search. Each names the state of the
 * lists for which it is right; the statement of the page checks whether that is still current, so that all is of the
 * same moment.
 * @param readListsVersion reads the committed state of the lists.
 */
export function createCampaignTotals(readListsVersion: () => Promise<string | undefined>) {
  const totals = new LRUCache<string, Known>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ facets, keys = '' }, search) => search.length + facets.length + keys.length + ENTRY_BYTES,
  })

  function find(search: string, now: Date) {
    const known = totals.get(search)
    const time = now.getTime()
    return known !== undefined && known.since <= time && time < known.until ? known : undefined
  }

  return {
    /** The total of a search (see `toPageQuestion`), with the counts beside it, if known: an index lookup. */
    async lookup(search: string, now: Date) {
      const known = find(partsOf(search).filters, now)
      return known !== undefined && known.listsVersion === (await readListsVersion()) ? known : undefined
    },

    /**
     * Searches as JSON for the database, which looks only for what is unknown; and how their totals follow from its
     * result.
     */
    ask(searches: readonly string[], now: Date) {
      const asked = searches.map((search) => {
        const { filters, page } = partsOf(search)
        const [known, knownPage] = [find(filters, now), find(search, now)]
        const isOlder = known !== undefined && knownPage?.listsVersion !== known.listsVersion
        return { search, filters, page, known: isOlder ? known : knownPage }
      })
      const entries = asked.map(({ filters, page, known }) => {
        const knownLists = JSON.stringify(known?.listsVersion ?? null)
        const keys = known?.keys === undefined ? '' : `"keys":[${known.keys}],`
        return `${filters.slice(0, -1)},"known_lists":${knownLists},${keys}${page.slice(1)}`
      })
      return {
        json: `[${entries.join(',')}]`,
        totalOf(nth: number, { total, listsVersion, changesAt, facetCounts, keys, walked }: Found): Counts {
          const { search = '', filters = '', known } = asked[nth - 1] ?? {}
          const since = now.getTime()
          const until = changesAt ?? Number.POSITIVE_INFINITY
          const counts: Known | undefined =
            total === null ? known : { total, facets: toMembers(facetCounts), listsVersion, since, until }
          if (counts === undefined) throw new TypeError('a total is neither known nor counted')
          if (total !== null) totals.set(filters, counts)
          if (walked === null && counts.keys === undefined) totals.set(search, { ...counts, keys, since })
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

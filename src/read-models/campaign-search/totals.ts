import { LRUCache } from 'lru-cache'

/** A total in memory. */
interface KnownTotal {
  total: number
  /** JSON of what was counted beside it, without its braces; empty if nothing was. */
  facets: string
  /** The state of the lists for which it is right. */
  listsVersion: string
  /** Milliseconds since 1970 between which the clock does not change it. */
  since: number
  until: number
}

/** A total, with the facet counts beside it. */
export type Counts = Pick<KnownTotal, 'total' | 'facets'>

/** The database's result for the total of a search (see `campaign_pages`). */
interface CountedTotal {
  total: number | null
  listsVersion: string
  changesAt: number | null
  facetCounts: string | null
}

const MAX_BYTES = 4 * 1024 * 1024
/** Memory of an entry besides its text. */
const ENTRY_BYTES = 300

/**
 * Totals in memory, by search without its page. Each names the state of the lists for which it is right; the statement
 * of the page checks whether that is still current, so that both are of the same moment.
 * @param readListsVersion reads the committed state of the lists.
 */
export function createCampaignTotals(readListsVersion: () => Promise<string | undefined>) {
  const totals = new LRUCache<string, KnownTotal>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ facets }, filters) => filters.length + facets.length + ENTRY_BYTES,
  })

  function find(filters: string, now: Date) {
    const known = totals.get(filters)
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
     * Searches as JSON for the database, which counts only unknown totals; and how their totals follow from its result.
     */
    ask(searches: readonly string[], now: Date) {
      const asked = searches.map((search) => {
        const { filters, page } = partsOf(search)
        return { filters, page, known: find(filters, now) }
      })
      const entries = asked.map(({ filters, page, known }) => {
        const knownLists = JSON.stringify(known?.listsVersion ?? null)
        return `${filters.slice(0, -1)},"known_lists":${knownLists},${page.slice(1)}`
      })
      return {
        json: `[${entries.join(',')}]`,
        totalOf(nth: number, { total, listsVersion, changesAt, facetCounts }: CountedTotal): Counts {
          const { filters = '', known } = asked[nth - 1] ?? {}
          if (total !== null) {
            const until = changesAt ?? Number.POSITIVE_INFINITY
            const counted = { total, facets: toMembers(facetCounts) }
            totals.set(filters, { ...counted, listsVersion, since: now.getTime(), until })
            return counted
          }
          if (known === undefined) throw new TypeError('a total is neither known nor counted')
          return known
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

import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/connection/open-database.ts'
import { batchLookups } from '../../database/connection/single-flight.ts'
import type { WalkedPage } from '../../read-models/campaign-search/read.ts'
import { createCurrentValues, type DataVersion, type DataVersionReader } from '../../read-models/data-version/read.ts'
import { prepareCampaigns } from './campaign-rows.ts'
import type { Shown, ShownReader } from './shown-campaigns.ts'

/** A total, with the facet counts beside it. */
interface Counts {
  total: number
  /** JSON of what was counted beside it, without its braces; empty if nothing was. */
  facets: string
}

/** A page in memory: its total, and the keys of its campaigns. */
interface KnownPage extends Counts {
  keys: readonly number[]
}

/** A page as it is shown: its campaigns, its total and counts, and the walk it is of. */
export interface Page extends Counts {
  shown: readonly Shown[]
  walked: WalkedPage | null
}

/** Memory for pages, and for totals; and of an entry besides its text. */
const [MAX_PAGE_BYTES, MAX_TOTAL_BYTES, ENTRY_BYTES] = [4 * 1024 * 1024, 4 * 1024 * 1024, 300]

/** Totals and keys of pages in memory, each until a revision changes which campaigns there are and how they are found. */
export const createPageCache = (versions: DataVersionReader) =>
  createCurrentValues<KnownPage>(versions, {
    maxBytes: MAX_PAGE_BYTES,
    sizeOf: ({ facets, keys }) => facets.length + 8 * keys.length + ENTRY_BYTES,
    // Which campaigns match changes with lists only.
    dependenciesOf: () => ({ campaignKeys: [], onLists: true }),
  })

/** A total in memory. */
interface Known extends Counts {
  /** The state of the lists for which it is right. */
  listsVersion: string
  /** Milliseconds since 1970 between which the clock does not change it. */
  since: number
  until: number
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

/**
 * Totals in memory, by search without its page, and pages, by whole search. A total names the state of the lists for
 * which it is right; the statement of another page checks whether that is still current, so that all is of the same
 * moment.
 */
export function createCampaignTotals(pages: ReturnType<typeof createPageCache>) {
  const totals = new LRUCache<string, Known>({
    maxSize: MAX_TOTAL_BYTES,
    sizeCalculation: ({ facets }, filters) => filters.length + facets.length + ENTRY_BYTES,
  })

  function find(search: string, now: Date) {
    const known = totals.get(search)
    const time = now.getTime()
    return known !== undefined && known.since <= time && time < known.until ? known : undefined
  }

  return {
    /** The page of a search (see `toSearchRequest`) without its campaigns, or the total alone, if it is known. */
    lookup(search: string, isTotalAlone: boolean, version: DataVersion, now: Date) {
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

/** Maximum number of pages of which campaigns share a statement. */
const MAX_READ_TOGETHER = 8

/**
 * Finds pages in memory, of which only those campaigns are read that have changed. Undefined if the page itself has, or
 * the data while they were read.
 */
export function createKnownPages(lookups: Database, listed: ShownReader, clock: () => Date) {
  const readCampaigns = prepareCampaigns(lookups)
  const load = batchLookups(MAX_READ_TOGETHER, async (lists) => {
    const now = clock()
    const keys = [...new Set(lists.flatMap((list) => list.split(',')))]
    await listed.read(() => readCampaigns.execute({ keys }), now)
    return new Map()
  })

  /** A page with those of its campaigns that are current at a version and now, and the keys of the others. */
  function lookUpPage(lookUp: (now: Date) => KnownPage | undefined, version: DataVersion) {
    const now = clock()
    const page = lookUp(now)
    if (page === undefined) return undefined
    const found = page.keys.map((key) => listed.lookup(key, version, now) ?? key)
    const shown = found.filter((campaign) => typeof campaign !== 'number')
    return { ...page, shown, missing: found.filter((campaign) => typeof campaign === 'number'), walked: null }
  }

  return async (lookUp: (now: Date) => KnownPage | undefined, version: DataVersion): Promise<Page | undefined> => {
    const known = lookUpPage(lookUp, version)
    if (known === undefined || known.missing.length === 0) return known
    await load(known.missing.join(','))
    const page = lookUpPage(lookUp, version)
    return page?.missing.length === 0 ? page : undefined
  }
}

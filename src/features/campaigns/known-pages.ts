import type { Database } from '../../database/connection/client.ts'
import { batchLookups } from '../../database/connection/single-flight.ts'
import type { Counts, KnownPage, WalkedPage } from '../../read-models/campaign-search/read.ts'
import { createCurrentValues, type DataVersion, type DataVersionReader } from '../../read-models/data-version/read.ts'
import { prepareCampaigns } from './campaign-rows.ts'
import type { Shown, ShownReader } from './shown-campaigns.ts'

/** A page as it is shown: its campaigns, its total and counts, and the walk it is of. */
export interface Page extends Counts {
  shown: readonly Shown[]
  walked: WalkedPage | null
}

/** Memory for pages: their totals and keys; and of an entry besides these. */
const [MAX_PAGE_BYTES, PAGE_ENTRY_BYTES] = [4 * 1024 * 1024, 300]

/** Maximum number of pages of which campaigns share a statement. */
const MAX_READ_TOGETHER = 8

/** Totals and keys of pages in memory, each until a revision changes which campaigns there are and how they are found. */
export const createPageCache = (versions: DataVersionReader) =>
  createCurrentValues<KnownPage>(versions, {
    maxBytes: MAX_PAGE_BYTES,
    sizeOf: ({ facets, keys }) => facets.length + 8 * keys.length + PAGE_ENTRY_BYTES,
    // Which campaigns match changes with lists only.
    dependenciesOf: () => ({ campaignKeys: [], onLists: true }),
  })

/**
 * Finds pages in memory, of which only those campaigns are read that have changed. Undefined if the page itself has, or
 * the data while they were read.
 */
export function createKnownPages(lookups: Database, listed: ShownReader, clock: () => Date) {
  const readCampaigns = prepareCampaigns(lookups)
  const load = batchLookups(MAX_READ_TOGETHER, async (lists) => {
    const now = clock()
    const keys = [...new Set(lists.flatMap((list) => list.split(',')))]
    await listed.read(() => readCampaigns.execute({ keys, now: now.toISOString() }), now)
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

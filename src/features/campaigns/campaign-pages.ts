import type { Static } from '@sinclair/typebox'
import type { Database } from '../../database/connection/open-database.ts'
import { readOneState } from '../../http/one-state.ts'
import {
  type CampaignFilter,
  type CampaignIndexReader,
  createExplanations,
  createFormerPositionLookup,
  createSymbolLookup,
  createWordLookup,
  type IndexPage,
  toSearch,
  type Walk,
  type WalkedPage,
} from '../../read-models/campaign-index/read.ts'
import { type DataVersion, type DataVersionReader, revisionStamp } from '../../read-models/data-version/read.ts'
import type { CampaignFacets } from '../../schemas/campaigns/campaign-facets.ts'
import { batchLookups } from '../../single-flight.ts'
import { prepareCampaigns } from './campaign-rows.ts'
import { ListCampaignsQuery } from './campaign-schemas.ts'
import type { Shown, ShownReader } from './shown-campaigns.ts'

/** A page as it is shown, all of one moment. */
export interface Page {
  shown: readonly Shown[]
  total: number
  /** The values that were counted beside it, and the facets that have more. */
  counted: { facets: Static<typeof CampaignFacets>; facetsWithMore: string[] } | undefined
  walked: WalkedPage | undefined
  /** Of the campaign that the request names. */
  explanation: Awaited<ReturnType<ReturnType<typeof createExplanations>>> | undefined
}

export interface PageQuery extends CampaignFilter {
  explain?: string
  sortBy: string
  showActiveOnly: boolean
  limit: number
  offset: bigint
  walk: Walk | undefined
}

/** Maximum number of campaigns of several pages in a statement: others wait for it. */
const MAX_READ_TOGETHER = 100

interface Options {
  database: Database
  /** The pool for what is found by keys. */
  lookups: Database
  campaignIndex: CampaignIndexReader
  listed: ShownReader
  versions: DataVersionReader
  clock: () => Date
}

/** Campaigns that a statement has read, all of one moment; empty and of no lists if none of them is there any more. */
interface ReadCampaigns {
  byKey: ReadonlyMap<number, Shown>
  now: Date
  stamp: string
  listsVersion: string
}

/**
 * Finds pages: keys, total and counts by the index; then the campaigns, from memory or from one statement. All of it is of the
 * same lists, or it is done again.
 */
export function createPages({ database, lookups, campaignIndex, listed, versions, clock }: Options) {
  const lookUpWords = createWordLookup(database)
  const lookUpFormer = createFormerPositionLookup(database)
  const lookUpSymbols = createSymbolLookup(lookups)
  const explain = createExplanations(lookups, Object.keys(ListCampaignsQuery.properties), revisionStamp)
  const readCampaigns = readerOf(lookups, listed, clock)

  async function attempt(query: PageQuery, version: DataVersion): Promise<Page | undefined> {
    const { activity, limit, offset, walk } = query
    const now = walk?.instant ?? clock()
    const { groups, words, facets, facetSize } = toSearch(query)
    const worded = words.length === 0 ? undefined : await lookUpWords(words)
    const former = walk?.state && (await lookUpFormer(walk.state))
    const found = await campaignIndex.read(version, (index) => {
      const newest = walk?.state?.newest ?? index.newestKey
      const page = index.page({
        groups: [...groups, ...(worded?.groups ?? [])],
        ...{ activity, instant: now.getTime(), limit, offset: Number(offset), facets, facetSize },
        walk: walk && { newest, place: walk.state?.place, former: former?.former ?? new Map() },
      })
      return { ...page, newest }
    })
    const isActivityNeeded = activity !== 'any' || walk !== undefined || facets.some(({ kind }) => kind === 'active')
    const read = await readCampaigns(found.value.keys, found.listsVersion, version, isActivityNeeded ? now : undefined)
    const counted =
      query.facets &&
      (await toCounted(
        facets.map(({ name }) => name),
        found.value.facets,
      ))
    const explanation = query.explain === undefined ? undefined : await explain(query.explain, query, now)
    // A campaign that is not there does not say of which lists that is.
    const explained = explanation && { listsVersion: explanation.listsVersion ?? (await versions.read()).listsVersion }
    for (const side of [worded, former, read, counted, explained]) {
      if ((side?.listsVersion ?? found.listsVersion) !== found.listsVersion) return undefined
    }
    const { began, lists } = walk?.state ?? { began: found.revision, lists: found.listsVersion }
    const { newest, place, total } = found.value
    const changed = lists === found.listsVersion ? 'no' : former?.isKnown ? 'yes' : 'unknown'
    return {
      shown: read?.shown ?? [],
      total,
      counted: counted?.counted,
      walked: walk && { began, lists, newest, place, changed },
      explanation,
    }
  }

  async function toCounted(names: string[], counts: IndexPage['facets']) {
    const tokens = counts[names.indexOf('token')]?.values.map(({ value }) => value) ?? []
    const found = tokens.length === 0 ? undefined : await lookUpSymbols(tokens)
    const labelled = counts.map(({ values }, nth) => [
      names[nth],
      values.map(({ value, count }) => {
        const label = names[nth] === 'token' ? found?.symbols.get(value) : undefined
        return label === undefined ? { value, count } : { value, count, label }
      }),
    ])
    const facets: Static<typeof CampaignFacets> = Object.fromEntries(labelled)
    const counted = { facets, facetsWithMore: names.filter((_, nth) => counts[nth]?.hasMore) }
    return { counted, listsVersion: found?.listsVersion }
  }

  return (query: PageQuery, version: DataVersion): Promise<Page> =>
    readOneState(version, versions, (at) => attempt(query, at))
}

/** The keys in a text with commas. */
const keysIn = (list: string) => list.split(',')

/** Reads the campaigns of pages that are not in memory. */
function readerOf(lookups: Database, listed: ShownReader, clock: () => Date) {
  const statement = prepareCampaigns(lookups)

  async function read(keys: readonly (number | string)[], now: Date): Promise<ReadCampaigns> {
    const rows = await listed.read(() => statement.execute({ keys }), now)
    const shown = rows.flatMap((row) => row.shown ?? [])
    const { stamp = '', listsVersion = '' } = rows[0] ?? {}
    return { byKey: new Map(shown.map((campaign) => [campaign.key, campaign])), now, stamp, listsVersion }
  }

  const readTogether = batchLookups(
    MAX_READ_TOGETHER,
    async (lists) => {
      const found = await read([...new Set(lists.flatMap(keysIn))], clock())
      return new Map(lists.map((list) => [list, found]))
    },
    (list) => keysIn(list).length,
  )

  /** At an instant, or with others at that of all of them. */
  async function readAt(keys: readonly number[], instant: Date | undefined) {
    const found = instant === undefined ? await readTogether(keys.join(',')) : await read(keys, instant)
    if (found === undefined) throw new TypeError('campaigns are not among those that were requested')
    return found
  }

  /**
   * The campaigns with these keys, and of which lists they are: in memory, or in one snapshot, or some in memory that are still
   * right in the snapshot of the others. Undefined without any.
   */
  return async (keys: readonly number[], listsVersion: string, version: DataVersion, instant: Date | undefined) => {
    if (keys.length === 0) return undefined
    const lookUp = (key: number, now: Date) => listed.lookup(key, version, now)
    if (version.listsVersion === listsVersion) {
      const now = instant ?? clock()
      const known = keys.flatMap((key) => lookUp(key, now) ?? [])
      if (known.length === keys.length) return { shown: known, listsVersion }
      if (known.length > 0) {
        const there = new Set(known.map(({ key }) => key))
        const missing = await readAt(
          keys.filter((key) => !there.has(key)),
          instant,
        )
        const all = keys.flatMap((key) => missing.byKey.get(key) ?? lookUp(key, missing.now) ?? [])
        if (missing.stamp === `${version.revision} ${version.epoch}` && all.length === keys.length) {
          return { shown: all, listsVersion }
        }
      }
    }
    const { byKey, ...read } = await readAt(keys, instant)
    return { shown: keys.flatMap((key) => byKey.get(key) ?? []), listsVersion: read.listsVersion }
  }
}

import type {
  CountedFacet,
  FilterGroup,
  FormerValues,
  IndexSearch,
} from '../../src/read-models/campaign-index/campaign-index.ts'
import type { IndexedCampaign } from '../../src/read-models/campaign-index/slots/campaign-slots.ts'

/*
 * The same questions, answered by looking at every campaign.
 */

const passes = ({ key, id, facets }: IndexedCampaign, { values, ids = [], keys = [] }: FilterGroup) =>
  ids.includes(id) || keys.includes(key) || values.some((value) => facets.includes(value))

const isActiveAt = ({ startsAt, endsAt, isExhausted }: Omit<FormerValues, 'blockTimestamp'>, instant: number) =>
  !isExhausted && startsAt <= instant && endsAt > instant

/** Before any other order: what stands first in these lists of numbers. */
const compareLists = (one: readonly bigint[], other: readonly bigint[]) => {
  const nth = one.findIndex((number, nth) => number !== other[nth])
  return nth < 0 ? 0 : (one[nth] as bigint) < (other[nth] as bigint) ? -1 : 1
}

/** The order of a campaign as a list of numbers. */
function orderOf(
  { id, ...campaign }: IndexedCampaign,
  { activity, instant }: IndexSearch,
  was: FormerValues = campaign,
) {
  const later = activity === 'first' && !isActiveAt(was, instant) ? 1n : 0n
  const ends = activity === 'ending' ? BigInt(Math.min(was.endsAt, Number.MAX_SAFE_INTEGER)) : 0n
  return [later, ends, -BigInt(was.blockTimestamp), ...id.split(':').map(BigInt)]
}

/** @param former what campaigns were sorted by when the walk of a search began; absent: it is no walk. */
export function naivePage(
  campaigns: readonly IndexedCampaign[],
  search: IndexSearch,
  former?: ReadonlyMap<number, FormerValues>,
) {
  const { groups, activity, instant, limit, offset, facets = [], facetSize = 0 } = search
  const isShown = (campaign: IndexedCampaign) =>
    activity === 'any' || activity === 'first' || isActiveAt(campaign, instant)
  const listed = campaigns.filter(({ endsAt }) => activity !== 'ending' || endsAt < Number.POSITIVE_INFINITY)
  const passing = (own?: number) =>
    listed.filter((campaign) => groups.every((group, nth) => nth === own || passes(campaign, group)))
  const matching = passing().filter(isShown)
  const sorted = matching
    .map((campaign) => ({ key: campaign.key, order: orderOf(campaign, search, former?.get(campaign.key)) }))
    .sort((one, other) => compareLists(one.order, other.order))
  const valuesOf = ({ kind }: CountedFacet, campaign: IndexedCampaign) =>
    kind === 'active'
      ? [
          ...(activity === 'ending' ? [] : ['false']),
          ...(isActiveAt(campaign, instant) ? ['true', ...(activity === 'ending' ? ['false'] : [])] : []),
        ]
      : campaign.facets.filter((name) => name.startsWith(`${kind} `)).map((name) => name.slice(kind.length + 1))
  return {
    total: matching.length,
    keys: sorted.slice(offset, offset + limit).map(({ key }) => key),
    all: sorted.map(({ key }) => key),
    facets: facets.map((facet) => {
      const counts = new Map<string, number>()
      const counted = facet.kind === 'active' ? passing(facet.own) : passing(facet.own).filter(isShown)
      for (const value of counted.flatMap((campaign) => valuesOf(facet, campaign)))
        counts.set(value, (counts.get(value) ?? 0) + 1)
      const values = Array.from(counts, ([value, count]) => ({ value, count })).sort(
        (one, other) =>
          other.count - one.count ||
          (facet.kind === 'chain'
            ? Number(one.value) - Number(other.value)
            : Buffer.compare(Buffer.from(one.value), Buffer.from(other.value))),
      )
      return { values: values.slice(0, facetSize), hasMore: values.length > facetSize }
    }),
  }
}

import { CampaignSlots, compareSortValues, type IndexedCampaign, type SortValues } from './slots/campaign-slots.ts'
import { type CountedValue, FacetValues } from './slots/facet-values.ts'
import { hasBit } from './slots/slot-bits.ts'
import type { SlotOrder } from './slots/slot-order.ts'
import { bitsOf, common, isIn, type SlotSet, sizeOf, slotsIn, union, without } from './slots/slot-sets.ts'

/** The kinds of values whose campaigns are counted. */
const COUNTED_KINDS = ['chain', 'token', 'reward', 'incentive', 'action', 'channel']

/** Sorting some campaigns takes as long as passing this number of others in an order. */
const PASSED_PER_SORTED = 16

/** A campaign passes if it has at least one of the values, or one of the IDs, or is one of the campaigns. */
export interface FilterGroup {
  /** `<kind> <value>`. */
  values: readonly string[]
  /** Campaign IDs, lower-case. */
  ids?: readonly string[]
  /** Keys of campaigns. */
  keys?: readonly number[]
}

/** All campaigns, active ones only, active ones first, or active ones that end, the earliest end first. */
export type Activity = 'any' | 'only' | 'first' | 'ending'

/** A kind of values to be counted beside a page. */
export interface CountedFacet {
  /** A counted kind, or `active`: whether they are. */
  kind: string
  /** The number of its own filter among the groups, which is not applied to it; undefined if it has none. */
  own: number | undefined
}

export interface IndexSearch {
  groups: readonly FilterGroup[]
  activity: Activity
  /** Milliseconds since 1970. */
  instant: number
  limit: number
  offset: number
  /** Absent: a page with a number. */
  walk?: IndexWalk | undefined
  facets?: readonly CountedFacet[] | undefined
  /** How many values of each. */
  facetSize?: number
}

/** Where a walk stands. */
export interface WalkPlace extends SortValues {
  /** Whether it comes behind the active ones; 0 where that does not count. */
  later: 0 | 1
}

/** A walk has the order of its beginning. */
export interface IndexWalk {
  /** The newest key of its beginning; undefined if it begins now. */
  newest: number | undefined
  /** Its last campaign; undefined before the first. */
  place: WalkPlace | undefined
  /** What campaigns were sorted by when it began, as far as that has changed since; by their keys. */
  former: ReadonlyMap<number, FormerValues>
}

export interface FormerValues {
  blockTimestamp: number
  startsAt: number
  endsAt: number
  isExhausted: boolean
}

export interface IndexPage {
  /** The number of all campaigns that match. */
  total: number
  keys: number[]
  /** In the order of the question: the values of most campaigns, and whether there are more. */
  facets: { values: CountedValue[]; hasMore: boolean }[]
  /** For a walk, the place of the last campaign; null on the last page. */
  place: WalkPlace | null
}

/** Campaigns that match, and those of them that are active. */
interface Matches {
  all: SlotSet
  count: number
  active: SlotSet
}

/** All campaigns, by what they are found, ordered and counted by. Nothing in it waits. */
export class CampaignIndex {
  readonly #slots: CampaignSlots
  readonly #values: FacetValues

  /** @param room for about as many campaigns; more is made when it is needed. */
  constructor(room = 0) {
    this.#slots = new CampaignSlots(room)
    this.#values = new FacetValues(this.#slots.capacity, COUNTED_KINDS)
  }

  get size() {
    return this.#slots.size
  }

  /** The largest key that a campaign ever had. */
  get newestKey() {
    return this.#slots.newestKey
  }

  /** Adds or replaces campaigns, and removes those with some keys. Takes about a millisecond for a batch. */
  apply(campaigns: readonly IndexedCampaign[], removed: readonly number[] = []) {
    const { slots, freed } = this.#slots.apply(campaigns, removed)
    this.#values.resize(this.#slots.capacity)
    for (const slot of freed) this.#values.set(slot, [])
    for (const [nth, { facets }] of campaigns.entries()) this.#values.set(slots[nth] as number, facets)
  }

  /** A page, its exact total, and what is counted beside it. */
  page(search: IndexSearch): IndexPage {
    const matches = this.#find(search)
    const { activity } = search
    const shown = activity === 'any' || activity === 'first' ? matches.all : matches.active
    const total = shown === matches.all ? matches.count : sizeOf(shown)
    const facets = this.#countFacets(search, matches)
    if (search.walk !== undefined)
      return { total, facets, ...this.#walk(search, search.walk, { ...matches, all: shown, count: total }) }
    return { total, facets, place: null, keys: this.#pick(search, { ...matches, all: shown, count: total }) }
  }

  /** How many campaigns that are active at an instant have each value of a counted kind. */
  countActive(kind: string, instant: number): ReadonlyMap<string, number> {
    const active = this.#slots.activeAt(instant)
    const counts = this.#values.countAmong(kind, active, sizeOf(active), Number.POSITIVE_INFINITY)
    return new Map(counts.map(({ value, count }) => [value, count]))
  }

  /** @param except the number of a group that is not applied. */
  #find({ groups, instant, activity, facets }: IndexSearch, except?: number): Matches {
    const others = groups.filter((_, nth) => nth !== except)
    const [first = this.#slots.all, ...rest] = [
      ...others.map((group) => this.#passing(group)),
      ...(activity === 'ending' ? [this.#slots.ending] : []),
    ]
    const all = common([first, ...rest])
    const isActivityNeeded = activity !== 'any' || facets?.some(({ kind }) => kind === 'active')
    const active = isActivityNeeded ? common([all, this.#slots.activeAt(instant)]) : all
    return { all, count: sizeOf(all), active }
  }

  /** The campaigns that pass a filter. */
  #passing({ values, ids = [], keys = [] }: FilterGroup): SlotSet {
    const named = [...ids.map((id) => this.#slots.slotOfId(id)), ...keys.map((key) => this.#slots.slotOf(key))]
    const sets = values.map((value) => this.#values.setOf(value))
    if (named.length > 0) sets.push([...new Set(named.flatMap((slot) => slot ?? []))])
    return union(sets, this.#slots.capacity)
  }

  #pick({ activity, limit, offset }: IndexSearch, { all, count, active }: Matches) {
    if (activity !== 'first') {
      const order = activity === 'ending' ? this.#slots.byEnd : this.#slots.byAge
      return this.#slotsInOrder(order, all, count, { skip: offset, limit }).map((slot) => this.#slots.keyOf(slot))
    }
    const activeCount = sizeOf(active)
    const first = this.#slotsInOrder(this.#slots.byAge, active, activeCount, { skip: offset, limit })
    const then = this.#slotsInOrder(this.#slots.byAge, without(all, active), count - activeCount, {
      skip: Math.max(0, offset - activeCount),
      limit: limit - first.length,
    })
    return [...first, ...then].map((slot) => this.#slots.keyOf(slot))
  }

  /**
   * A part of some campaigns in an order. Of many, the order is passed through; few are sorted.
   * @param isAhead whether a slot comes behind a place in the order; all do if it is absent.
   * @param isPart whether a slot counts.
   */
  #slotsInOrder(
    order: SlotOrder,
    set: SlotSet,
    count: number,
    {
      skip,
      limit,
      isAhead,
      isPart = () => true,
    }: { skip: number; limit: number; isAhead?: (slot: number) => boolean; isPart?: (slot: number) => boolean },
  ): number[] {
    if (skip >= count || limit <= 0) return []
    const passed = Math.min(order.length, ((skip + limit) * order.length) / count)
    if (count * PASSED_PER_SORTED < passed) {
      const few = [...slotsIn(set, count)].filter((slot) => isPart(slot) && (isAhead?.(slot) ?? true))
      return few.sort(order.compare).slice(skip, skip + limit)
    }
    const bits = bitsOf(set, this.#slots.capacity)
    const slots: number[] = []
    let skipped = 0
    let place = isAhead === undefined ? 0 : order.firstPlace((slot) => !isAhead(slot))
    for (; place < order.length && slots.length < limit; place += 1) {
      const slot = order.at(place)
      if (!hasBit(bits, slot) || !isPart(slot)) continue
      if (skipped < skip) skipped += 1
      else slots.push(slot)
    }
    return slots
  }

  /**
   * The next page of a walk: the campaigns that were there when it began, those that have moved since at their places of
   * then.
   */
  #walk({ activity, instant, limit }: IndexSearch, walk: IndexWalk, { all, count, active }: Matches) {
    const { newest = this.newestKey, place: last, former } = walk
    const placeOf = (values: SortValues, isActive: boolean): WalkPlace => ({
      ...values,
      endsAt: activity === 'ending' ? values.endsAt : Number.POSITIVE_INFINITY,
      later: activity === 'first' && !isActive ? 1 : 0,
    })
    const isBehind = (place: WalkPlace) => last === undefined || comparePlaces(place, last) > 0
    const isPart = (slot: number) => {
      const key = this.#slots.keyOf(slot)
      return key <= newest && !former.has(key)
    }
    const order = activity === 'ending' ? this.#slots.byEnd : this.#slots.byAge
    const parts = activity === 'first' ? [active, without(all, active)] : [all]
    const stayed = parts.flatMap((part, nth) => {
      // All of a part are active, or none is; the order is that of all slots.
      const placeOfSlot = (slot: number) => placeOf(this.#slots.sortValuesOf(slot), nth === 0)
      const slots = this.#slotsInOrder(order, part, parts.length === 1 ? count : sizeOf(part), {
        skip: 0,
        limit: limit + 1,
        isAhead: (slot) => isBehind(placeOfSlot(slot)),
        isPart,
      })
      return slots.map((slot) => ({ key: this.#slots.keyOf(slot), place: placeOfSlot(slot) }))
    })
    const isMatch = isIn(all)
    const moved = [...former].flatMap(([key, was]) => {
      const slot = this.#slots.slotOf(key)
      if (slot === undefined || key > newest || !isMatch(slot)) return []
      const wasActive = !was.isExhausted && was.startsAt <= instant && was.endsAt > instant
      const { blockTimestamp, endsAt } = was
      const place = placeOf({ ...this.#slots.sortValuesOf(slot), blockTimestamp, endsAt }, wasActive)
      return isBehind(place) ? [{ key, place }] : []
    })
    const ahead = [...stayed, ...moved]
    ahead.sort((one, other) => comparePlaces(one.place, other.place))
    const page = ahead.slice(0, limit)
    return { keys: page.map(({ key }) => key), place: ahead.length > limit ? (page.at(-1)?.place ?? null) : null }
  }

  #countFacets(search: IndexSearch, matches: Matches): IndexPage['facets'] {
    const { activity, facets = [], facetSize = 0 } = search
    const found = new Map<number | undefined, Matches>([[undefined, matches]])
    return facets.map(({ kind, own }) => {
      const { all, count, active } = found.get(own) ?? this.#find(search, own)
      found.set(own, { all, count, active })
      if (kind === 'active') return toListed(countActivity(activity, count, sizeOf(active)), facetSize)
      const isAny = activity === 'any' || activity === 'first'
      const values = this.#values.countAmong(kind, isAny ? all : active, isAny ? count : sizeOf(active), facetSize)
      return toListed(values.sort(kind === 'chain' ? byCountThenNumber : byCountThenText), facetSize)
    })
  }
}

const comparePlaces = (one: WalkPlace, other: WalkPlace) => one.later - other.later || compareSortValues(one, other)

/** The values of the filter for active campaigns: without it, all are there, unless the order leaves out those that are not. */
function countActivity(activity: Activity, all: number, active: number): CountedValue[] {
  const values = [
    { value: 'false', count: activity === 'ending' ? active : all },
    { value: 'true', count: active },
  ]
  return values.filter(({ count }) => count > 0)
}

const toListed = (values: CountedValue[], size: number) => ({
  values: values.slice(0, size),
  hasMore: values.length > size,
})

const byCountThenNumber = (one: CountedValue, other: CountedValue) =>
  other.count - one.count || Number(one.value) - Number(other.value)

const byCountThenText = (one: CountedValue, other: CountedValue) =>
  other.count - one.count || compareCodePoints(one.value, other.value)

/** By code point: texts of JavaScript are compared by halves of those above 65,535. */
function compareCodePoints(one: string, other: string) {
  let place = 0
  while (place < one.length && one.charCodeAt(place) === other.charCodeAt(place)) place += 1
  return rankOf(one.charCodeAt(place)) - rankOf(other.charCodeAt(place))
}

/** The end of a text comes first, halves of characters last. */
const rankOf = (unit: number) => (Number.isNaN(unit) ? -1 : unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

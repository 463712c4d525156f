import fc from 'fast-check'
import type { Activity, FilterGroup, IndexSearch } from '../../src/read-models/campaign-index/campaign-index.ts'
import type { IndexedCampaign } from '../../src/read-models/campaign-index/slots/campaign-slots.ts'

/*
 * Campaigns and searches, each made of one drawn number: hundreds are drawn in a millisecond, and a failure is made smaller as
 * numbers are.
 */

/** Takes the values of choices out of a number, one after the other. */
function choicesOf(number: number) {
  let rest = number
  /** One of so many, the first ones more often. */
  const below = (count: number) => {
    rest = (Math.imul(rest ^ (rest >>> 15), 0x2c1b3c6d) + 0x297a2d39) >>> 0
    return Math.floor(((rest >>> 8) / 0x1000000) ** 2 * count)
  }
  return { below, one: <Value>(values: readonly Value[]) => values[below(values.length)] as Value }
}

const CORES = [`0x${'0a'.repeat(20)}`, `0x${'0b'.repeat(20)}`]
const IDENTIFIERS = [
  '0',
  '1',
  '2',
  '10',
  '999999999999999',
  '1000000000000000',
  '9007199254740993',
  `9${'0'.repeat(77)}`,
]
const OWNERS = Array.from({ length: 400 }, (_, nth) => `owner ${nth}`)
const TOKENS = Array.from({ length: 60 }, (_, nth) => `token ${nth % 3}:0x${nth}`)
const CHANNELS = ['app', 'web', 'ﬁ', '𐐨', '', 'a b'].map((channel) => `channel ${channel}`)

/** How a campaign is at a time: what it is known by depends on its key alone. */
export function aCampaign(key: number, state: number): IndexedCampaign {
  const { below, one } = choicesOf(state)
  const chain = key % 3
  const nth = Math.floor(key / 3)
  const identifier = nth < IDENTIFIERS.length ? IDENTIFIERS[nth] : String(nth * 7)
  return {
    key,
    id: `${chain}:${CORES[key % 2]}:${identifier}`,
    blockTimestamp: 100 + below(key % 4 === 0 ? 5 : 300),
    startsAt: one([Number.NEGATIVE_INFINITY, 10, 20, 30]),
    endsAt: one([Number.POSITIVE_INFINITY, 20, 30, 40]),
    isExhausted: below(5) === 4,
    facets: [
      ...new Set([
        `chain ${chain}`,
        one(OWNERS),
        ...Array.from({ length: below(4) }, () => one(TOKENS)),
        ...Array.from({ length: below(3) }, () => one(CHANNELS)),
        ...(below(3) === 0 ? ['whitelisted '] : []),
      ]),
    ],
  }
}

function aGroup({ below, one }: ReturnType<typeof choicesOf>): FilterGroup {
  switch (below(6)) {
    case 0:
      return { values: ['whitelisted '] }
    case 1:
      return { values: [`chain ${below(3)}`] }
    case 2:
      return { values: [one(TOKENS), one(TOKENS), 'token nowhere'] }
    case 3:
      return { values: [one(OWNERS)] }
    case 4:
      return { values: [one(CHANNELS), one(CHANNELS)] }
    default:
      return { values: [one(OWNERS)], ids: [aCampaign(below(300), 0).id, '1:0x:7'], keys: [below(300), below(300)] }
  }
}

const ACTIVITIES: readonly Activity[] = ['any', 'only', 'first', 'ending']

function aSearch(number: number): IndexSearch {
  const choices = choicesOf(number)
  const { below, one } = choices
  const groups = Array.from({ length: below(4) }, () => aGroup(choices))
  const own = () => (below(2) === 0 || groups.length === 0 ? undefined : below(groups.length))
  return {
    groups,
    activity: ACTIVITIES[number % 4] as Activity,
    instant: one([25, 15, 20, 35, 50]),
    limit: one([10, 3, 0, 100]),
    offset: one([0, 5, 100, 1000]),
    facets: ['chain', 'token', 'channel', 'active'].map((kind) => ({ kind, own: own() })),
    facetSize: one([2, 1, 50]),
  }
}

const numbers = (length: { minLength?: number; maxLength: number }) => fc.array(fc.nat(), length)

/** The state of campaigns with keys from 0 on. */
export const drawnCampaigns = (maxLength = 300) =>
  numbers({ maxLength }).map((states) => states.map((state, key) => aCampaign(key, state)))

export const drawnSearches = numbers({ minLength: 1, maxLength: 8 }).map((searches) => searches.map(aSearch))

/** Batches that add, replace or remove (undefined) campaigns by their keys. */
export const drawnChanges = fc.array(
  numbers({ maxLength: 40 }).map(
    (states) =>
      new Map(
        states.map((state) => {
          const key = state % 400
          return [key, state % 5 === 0 ? undefined : aCampaign(key, state)]
        }),
      ),
  ),
  { maxLength: 12 },
)

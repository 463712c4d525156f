import { expect, test } from 'vitest'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ImportRecord, TokenRecord } from '../../../src/ingest/records.ts'
import { differingContractTotals } from '../../../src/read-models/claim-windows/check.ts'
import { createRandom, type Random } from '../../setup/data/random-records.ts'
import { storeTotalsOf } from '../../setup/data/stored-totals.ts'
import {
  aCampaign,
  aClaim,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  anIncentiveOfEachVariant,
  aStep,
  aToken,
} from '../../setup/records.ts'
import type { QueryText } from '../../setup/second-opinion/second-opinion.ts'
import { createComparison, type Query } from '../../setup/second-opinion/second-opinion-comparison.ts'
import { someFacets } from '../../setup/second-opinion/second-opinion-queries.ts'
import { borrowTestApp } from '../../setup/test-app.ts'

/*
 * Each filter has values that about 150 campaigns have, and rare ones, and each batch moves campaigns from value to value, and turns
 * tokens on or off the whitelist. Campaigns and claims have few different times and amounts, so most places are decided by the last ties.
 */

const HOUR = 3600
const DAY = 86_400
/** The data lies around this instant (Unix seconds). */
const base = Date.parse('2026-03-01T12:00:00Z') / 1000

/** How many campaigns have each value of a filter at first. */
const COUNTS = [149, 150, 151, 152, 5, 1]
/** The values that many campaigns have, by their place. */
const NEAR = [0, 1, 2, 3]
const CHAINS = ['10', '8453', '1', '42161', '480', '7777777']
const ASSETS = [1, 2, 3].map((number) => anAddress(`asset ${number}`))

/** What a value of each filter is in a record, and how it is asked for. */
const kinds = {
  owner: {
    record: (value: string) => ({ owner: anAddress(value) }),
    query: (value: string) => ({ owner: anAddress(value) }),
  },
  creator: {
    record: (value: string) => ({ creator: anAddress(value) }),
    query: (value: string) => ({ creator: anAddress(value) }),
  },
  budget: {
    record: (value: string) => ({ budget: anAddress(value) }),
    query: (value: string) => ({ budgetAccount: anAddress(value) }),
  },
  autocampaign: {
    record: (value: string) => ({ autocampaignId: value }),
    query: (value: string) => ({ autocampaignId: value }),
  },
  channel: {
    record: (value: string) => ({ distributionChannels: ['Everywhere', value] }),
    query: (value: string) => ({ distributionChannel: value.toUpperCase() }),
  },
  target: {
    record: (value: string) => ({ actionSteps: [aStep(anAddress(value), 10)] }),
    query: (value: string) => ({ chainId: '10', targetContract: anAddress(value) }),
  },
  token: {
    record: (value: string) => ({ actionToken: { chainId: 10, address: anAddress(value) } }),
    query: (value: string) => ({ tokens: `10:${anAddress(value)}` }),
  },
  incentive: {
    record: (value: string) => ({ incentives: [incentiveOf(value)] }),
    query: (value: string) => ({ incentiveType: incentiveOf(value).type.toUpperCase() }),
  },
  action: {
    record: (value: string) => ({ actionTemplateId: templateOf(value).id }),
    query: (value: string) => ({ actionType: value.toUpperCase() }),
  },
  word: {
    record: (value: string) => ({ campaignName: `Named ${value.replace(' ', '')}` }),
    query: (value: string) => ({ search: value.replace(' ', '').toUpperCase() }),
  },
  collection: {
    record: (value: string) => ({ nftCollection: { chainId: 10, address: anAddress(value) } }),
    query: (value: string) => ({ tokens: `10:${anAddress(value)}:collection` }),
  },
} as const satisfies Record<string, Kind>

/** Of another variant for each value. */
function incentiveOf(value: string) {
  const variants = ['ERC20Incentive', 'CGDAIncentive', 'ERC20VariableIncentive', 'ERC20PeggedIncentive']
  const type = [...variants, 'PointsIncentive', 'AllowListIncentive'][Number(value.at(-1))]
  const found = anIncentiveOfEachVariant(() => ASSETS[0] as string).find((incentive) => incentive.type === type)
  if (found === undefined) throw new Error(`no variant for ${value}`)
  return found
}

const templateOf = (value: string, actionType = value) =>
  anActionTemplate({ id: `00000000-0000-4000-8000-${anAddress(value).slice(2, 14)}`, actionType })

interface Kind {
  record: (value: string) => Partial<CampaignRecord>
  query: (value: string) => QueryText
}
type KindName = keyof typeof kinds
const kindNames = Object.keys(kinds) as KindName[]
const nameOf = (kind: KindName, place: number) => `${kind} ${place}`

/** A campaign, and the place of its value of each kind. */
interface Draft {
  id: string
  places: Record<KindName, number>
  other: Partial<CampaignRecord>
}

const toRecord = ({ id, places, other }: Draft) =>
  aCampaign({
    id,
    ...other,
    ...Object.assign({}, ...kindNames.map((kind) => kinds[kind].record(nameOf(kind, places[kind])))),
  })

/** What a filter does not ask for, with few different values. */
const someOther = ({ chance, pick }: Random): Partial<CampaignRecord> => ({
  blockTimestamp: String(base - pick([1, 2, 30]) * DAY),
  endTime: chance(0.7) ? null : new Date((base + pick([-HOUR, HOUR, DAY])) * 1000).toISOString(),
  incentives: [anErc20Incentive(pick(ASSETS))],
})

function someDrafts(random: Random): Draft[] {
  const places = COUNTS.flatMap((count, place) => Array.from({ length: count }, () => place))
  const drawn = Object.fromEntries(kindNames.map((kind) => [kind, random.shuffled(places)]))
  return places.map((place, index) => ({
    id: `${CHAINS[place]}:${anAddress(`core ${index % 2}`)}:${index}`,
    places: Object.fromEntries(kindNames.map((kind) => [kind, drawn[kind]?.[index]])) as Draft['places'],
    other: someOther(random),
  }))
}

/** Moves one campaign, or a few, of each kind from a value that many have to another one. */
function moveSome(drafts: Draft[], random: Random) {
  const touched = new Set<Draft>()
  for (const kind of kindNames) {
    for (let count = random.integer(1, 3); count > 0; count -= 1) {
      const [from = 0, to = 0] = random.shuffled(NEAR)
      const draft = random.pick(drafts.filter(({ places }) => places[kind] === from))
      draft.places[kind] = to
      // Replaced by one that is the same but for that, or by one of another time, too.
      if (random.chance(0.3)) draft.other = someOther(random)
      touched.add(draft)
    }
  }
  return [...touched].map(toRecord)
}

const someTokens = ({ chance, some }: Random, share: number): TokenRecord[] =>
  some(
    CHAINS.flatMap((chain) => ASSETS.map((address) => ({ chainId: Number(chain), address }))),
    share,
  ).map((token) => aToken({ ...token, whitelisted: chance(0.5) }))

const someClaims = (campaigns: readonly CampaignRecord[], { pick }: Random, count: number) =>
  Array.from({ length: count }, () =>
    aClaim(pick(campaigns), {
      blockTimestamp: String(base - pick([0, HOUR, 6 * HOUR, DAY, 2 * HOUR, 7 * DAY]) + pick([-1, 0, 1])),
      amountUsd: pick(['1', '1', '2']),
    }),
  )

const whitelist = ({ chance }: Random): QueryText => (chance(0.6) ? { tokenWhitelist: 'false' } : {})

const ofList = (random: Random): QueryText => ({
  ...whitelist(random),
  ...(random.chance(0.5) ? { sortBy: random.pick(['active', 'ending-soon']) } : {}),
  ...(random.chance(0.2) ? someFacets(random) : {}),
  ...(random.chance(0.3) ? { showActiveOnly: 'true' } : {}),
  pageSize: random.pick(['1', '7', '50', '75', '100']),
  page: random.pick(['1', '1', '2', '3', '4']),
})

/** Each value of each filter, and each pair by values that many have; of the list, of trending and of the contracts. */
function someQueries(random: Random): Query[] {
  const { pick } = random
  const queryOf = (kind: KindName, place: number) => kinds[kind].query(nameOf(kind, place))
  const single = kindNames.flatMap((kind) => COUNTS.map((_, place) => queryOf(kind, place)))
  const pairs = kindNames.flatMap((one, index) =>
    kindNames.slice(index + 1).map((other) => ({ ...queryOf(one, pick(NEAR)), ...queryOf(other, pick(NEAR)) })),
  )
  const chains = CHAINS.flatMap((chainId) => [{ chainId }, { chainId, ...queryOf(pick(kindNames), pick(NEAR)) }])
  const all: QueryText[] = [{}, ...single, ...pairs, ...chains]
  return [
    // The list knows no creator, and trending not all that the list does.
    ...all
      .filter((query) => !('creator' in query))
      .map((query): Query => ['/campaigns', { ...query, ...ofList(random) }]),
    ...all
      .filter((query) => !('incentiveType' in query || 'actionType' in query || 'search' in query))
      .map((query): Query => {
        const period = pick(['1h', '24h', '24h'])
        return ['/reward-kit/trending', { ...query, ...whitelist(random), period }]
      }),
    ...COUNTS.flatMap((_, place) =>
      ['6h', '24h', '7d', undefined].map((timeRange): Query => {
        const sortBy = pick(['most-completions', 'total-spend', 'recently-deployed'])
        const page = { pageSize: pick(['2', '4', '100']), page: pick(['1', '1', '2']) }
        return [
          '/explore/contracts',
          { ...queryOf('creator', place), sortBy, ...page, ...(timeRange && { timeRange }) },
        ]
      }),
    ),
  ]
}

test.each([1, 2])(
  'every filter, pair and page is what the records say as campaigns change their values: seed %i',
  { timeout: 300_000 },
  async (seed) => {
    const random = createRandom(seed)
    await using api = await borrowTestApp({ RESPONSE_CACHE_MB: '0' })
    const { compare, seen } = createComparison(api, `seed ${seed}`)
    const drafts = someDrafts(random)
    const campaigns = drafts.map(toRecord)
    const templates = COUNTS.map((_, place) => templateOf(nameOf('action', place)))
    let records: ImportRecord[] = [
      ...templates,
      ...someTokens(random, 1),
      ...campaigns,
      ...someClaims(campaigns, random, 900),
    ]
    await api.save(...records)
    for (let round = 0; round < 4; round += 1) {
      await storeTotalsOf(api.database, base + random.pick([0, -HOUR, 60]))
      await compare(someQueries(random), records, new Date((base + random.pick([0, 0.5, 90])) * 1000))
      // Few have this template, and their action becomes one of those that many have.
      const renamed = templateOf(nameOf('action', 4), nameOf('action', random.pick(NEAR)))
      const batch = [
        ...[...moveSome(drafts, random), renamed],
        ...[...someTokens(random, 0.2), ...someClaims(campaigns, random, 20)],
      ]
      await api.save(...batch)
      records = [...records, ...batch]
    }
    await compare(someQueries(random), records, new Date(base * 1000))
    expect(await api.database.query(differingContractTotals(null))).toEqual([])
    expect(seen.get('/campaigns with entries')).toBeGreaterThan(200)
    expect(seen.get('/reward-kit/trending with entries')).toBeGreaterThan(200)
    expect(seen.get('/explore/contracts with claims')).toBeGreaterThan(50)
  },
)

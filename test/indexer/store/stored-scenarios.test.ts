import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EndpointError } from '../../../src/indexer/rpc/endpoint-errors.ts'
import { openChainStore } from '../../../src/indexer/store/chain-store.ts'
import type { ChainUpdate, FollowedStore } from '../../../src/indexer/sync/sync-updates.ts'
import { openIngest } from '../../../src/ingest/batches.ts'
import { contentOf } from '../../setup/data/stored-content.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { repeated } from '../../setup/repetitions.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'
import { anyScenario, runScenario, type Scenario, type ScenarioStore } from '../simulation/random-scenarios.ts'
import type { SimulatedChain } from '../simulation/simulated-chain.ts'
import { type Operation, simulatedChain, simulatedTokens } from '../simulation/simulated-protocol.ts'

/** Every so manieth step the process is killed while it writes, as far as the database can tell. */
const KILLED_STEPS = 7

/** No scenario is begun after this time. */
const SCENARIOS_MS = repeated(5000, 12_000)

/** A store that loses its connection now and then, and is opened again. */
async function openKilledStore(database: TestDatabase, startBlock: number, isKilled: boolean) {
  const open = () =>
    openChainStore(
      database.url,
      { ...simulatedChain, urls: [], sockets: [], startBlock },
      { onWait: () => {}, signal: AbortSignal.timeout(60_000) },
    )
  let store = await open()
  let steps = 0

  async function kill() {
    await sleep(Math.random() * 10)
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'reward-campaigns index' and datname = current_database()`,
    )
  }

  const scenario = {
    store: {
      find: (query: Parameters<FollowedStore['find']>[0]) => store.find(query),
      findAny: (query: Parameters<FollowedStore['find']>[0]) => store.findAny(query),
      unjoined: () => store.unjoined(),
      affectedAbove: (block: number) => store.affectedAbove(block),
      backFilled: () => store.backFilled(),
      dueAgain: () => store.dueAgain(),
      storedTokens: (addresses: Parameters<FollowedStore['storedTokens']>[0]) => store.storedTokens(addresses),
    },
    readState: () => store.readState(),
    knownContracts: () => store.contracts(),
    async apply(step: ChainUpdate) {
      steps += 1
      const killing = isKilled && steps % KILLED_STEPS === 0 ? kill() : undefined
      try {
        await store.apply(step)
      } catch (error) {
        if (killing === undefined) throw error
        await killing
        await store.close().catch(() => {})
        store = await open()
        throw new EndpointError('unreachable', 'the process was killed')
      }
      if (killing === undefined) return
      // It may have been killed just after the commit.
      await killing
      await store.close().catch(() => {})
      store = await open()
    },
    async facts() {
      const content = await contentOf(database)
      const { followed_chains, followed_blocks, followed_campaigns, tokens, priced_tokens, ...facts } = content
      // Keys of priced tokens are of each database's own.
      const { feed_prices, imported_prices, ...others } = facts
      return {
        ...others,
        prices: await pricesIn(database),
        values: await valuesIn(database),
        fees: await feesIn(database),
      }
    },
    close: () => store.close(),
  }
  return scenario satisfies ScenarioStore<unknown>
}

const pricesIn = (database: TestDatabase) =>
  database.query(
    `select chain_id::text as chain, address, block_number::integer as block, log_index as log,
      extract(epoch from at)::integer as at, trim_scale(price_usd)::text as price
    from feed_prices join priced_tokens on key = token_key order by 1, 2, 3, 4`,
  )

/** What a claim on each campaign costs. */
const feesIn = (database: TestDatabase) =>
  database.query(`select id, origin ->> 'claimFee' as "claimFee" from followed_campaigns order by id`)

/** What each claim pays, and what it is worth. */
const valuesIn = async (database: TestDatabase) =>
  (await database.query(
    `select claims.chain_id::integer as chain, tx_hash::text as hash, log_index as log, asset, amount::text,
      block_timestamp::integer as at, trim_scale(amount_usd)::text as usd
    from claims join incentives on incentives.campaign_key = claims.campaign_key and position = incentive_position
    order by 2, 3`,
  )) as unknown as StoredValue[]

interface StoredValue {
  asset: string | null
  amount: string
  at: number
  usd: string | null
}

/** Prices of a token that are imported before anything else. */
const importedPrices = [
  { at: 1004, priceUsd: '0.25' },
  { at: 1013, priceUsd: '3' },
]

const importPrices = async ({ url }: TestDatabase) => {
  const ingest = await openIngest(url)
  const records = importedPrices.map(({ at, priceUsd }) => ({
    ...{ type: 'tokenPrice' as const, chainId: simulatedChain.chainId, address: simulatedTokens.imported },
    ...{ at: new Date(at * 1000).toISOString(), priceUsd },
  }))
  await ingest.apply({ records })
  await ingest.close()
}

/** What a claim is worth, computed from what was done on the chain. */
function dueValue({ asset, amount, at }: StoredValue, prices: ReturnType<SimulatedChain['facts']>['prices']) {
  if (asset === null) return null
  if (amount === '0') return '0'
  const reported = prices
    .filter((price) => price.feed === simulatedChain.prices[0]?.feed)
    .toSorted((one, other) => one.at - other.at || one.blockNumber - other.blockNumber || one.logIndex - other.logIndex)
  const { stable, imported, asset: fed } = simulatedTokens
  const known: Record<string, { decimals: number; price: string | undefined }> = {
    [stable]: { decimals: 6, price: '1.5' },
    [imported]: { decimals: 18, price: importedPrices.findLast((price) => price.at <= at)?.priceUsd },
    [fed]: { decimals: 18, price: reported.findLast((price) => price.at <= at)?.priceUsd },
  }
  const { decimals = 0, price } = known[asset] ?? {}
  if (price === undefined) return null
  const [whole = '', part = ''] = price.split('.')
  const digits = String(BigInt(amount) * BigInt(whole + part)).padStart(decimals + part.length + 1, '0')
  const point = digits.length - decimals - part.length
  return `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0+$/, '')
}

/** Of an incentive what both the chain and answers tell. */
interface Figures {
  limit?: string | undefined
  totalClaims?: string | undefined
  remainingBalance?: string | undefined
}

/** All that was ever true at the end of a block of a number, on whichever branch. */
function createHistory() {
  const histories = new Map<number, Set<string>>()
  return {
    note(chain: SimulatedChain) {
      for (const block of chain.blocks) {
        const figures = chain.figuresAt(block).map(({ id, incentives }) => [id, incentives.map(toShown)] as const)
        const text = JSON.stringify(figures.toSorted(([one], [other]) => one.localeCompare(other)))
        histories.set(block.number, (histories.get(block.number) ?? new Set()).add(text))
      }
    },
    has: (block: number, text: string) => histories.get(block)?.has(text) === true,
    hasSomewhere: (text: string) => [...histories.values()].some((texts) => texts.has(text)),
  }
}

const toShown = ({ limit, totalClaims, remainingBalance }: Figures) => [limit, totalClaims, remainingBalance]

/** Asks again and again, until it is told to end. @returns how many different blocks it has seen. */
async function poll(api: BorrowedTestApp, history: ReturnType<typeof createHistory>, until: AbortSignal) {
  const seen = new Set<string>()
  for (let isLast = false; !isLast; ) {
    // Also once the chain rests.
    isLast = until.aborted
    const { headers, body } = await api.get('/campaigns?pageSize=100&tokenWhitelist=false')
    const asOf = headers['x-as-of']
    const { campaigns } = JSON.parse(body)
    const shown = campaigns.map(({ id, incentives }: { id: string; incentives: (Figures & { type: string })[] }) => [
      id,
      incentives.map((incentive) => toShown(withoutDerived(incentive))),
    ])
    const text = JSON.stringify(shown.toSorted(([one]: [string], [other]: [string]) => one.localeCompare(other)))
    if (asOf === undefined) {
      // Nothing yet, or what was there before the chain had to be read again.
      expect(campaigns.length === 0 || history.hasSomewhere(text), text).toBe(true)
      continue
    }
    expect(history.has(Number(String(asOf).split(':')[1]), text), `${asOf} ${text}`).toBe(true)
    seen.add(String(asOf))
  }
  return seen.size
}

/** Of these the chain tells neither claims nor a balance. */
const withoutDerived = (incentive: Figures & { type: string }): Figures =>
  ['PointsIncentive', 'AllowListIncentive'].includes(incentive.type)
    ? { limit: incentive.limit }
    : incentive.type === 'CGDAIncentive'
      ? {}
      : incentive

test('whatever a chain, its node and its indexer do, answers are of one block, and in the end of the last', async () => {
  let blocks = 0
  const end = performance.now() + SCENARIOS_MS
  await fc.assert(
    fc.asyncProperty(anyScenario, async (scenario) => {
      // Each that is begun is gone through, however long the first takes.
      if (performance.now() > end) return
      await using api = await borrowTestApp()
      await using fresh = await createTestDatabase()
      await importPrices(api.database)
      await importPrices(fresh)
      const history = createHistory()
      const over = new AbortController()
      const polling = poll(api, history, over.signal)
      let opened = 0
      try {
        const { chain, state, facts, freshFacts } = await runScenario(
          scenario,
          (startBlock) => {
            opened += 1
            return openKilledStore(opened === 1 ? api.database : fresh, startBlock, opened === 1)
          },
          history.note,
        )
        expect(state.asOf?.hash).toBe(chain.head.hash)
        expect(facts).toEqual(freshFacts)
        const reported = chain.facts().prices
        expect(facts.values.map(({ usd }) => usd)).toEqual(facts.values.map((claim) => dueValue(claim, reported)))
        const stored = await api.database.query('select count(*)::integer from claims')
        expect(stored).toEqual([{ count: chain.facts().claims.length }])
        const fees = chain.facts().figures.map(({ id, claimFee }) => ({ id, claimFee }))
        expect(facts.fees).toEqual(fees.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
      } finally {
        over.abort()
        blocks += await polling
      }
    }),
    { numRuns: 20 },
  )
  expect(blocks).toBeGreaterThan(0)
}, 120_000)

const creation = {
  ...{ type: 'create', salt: 0, setUp: true, named: true, action: 'event', list: 'deny', isReadable: true },
  incentives: ['pool', 'variable', 'criteria', 'auction', 'raffle', 'points'],
} satisfies Operation
/** A claim on each kind of token. */
const claims = (claimant: number) =>
  creation.incentives.map(
    (_, incentive): Operation => ({ type: 'claim', campaign: 0, incentive, claimant, amount: 1234 }),
  )
const reported = (response: number, which: 'current' | 'next' = 'current'): Operation => ({
  ...{ type: 'answer', feed: 0, which, salt: 0, response },
})
const look: Scenario['commands'][number] = { type: 'look', steps: 9, meanwhile: null }

test('claims of a fed, a fixed, an imported and an unknown token have the value of their time, also after reorganisations', async () => {
  await using database = await createTestDatabase()
  await using other = await createTestDatabase()
  for (const one of [database, other]) await importPrices(one)
  const databases = [database, other]
  const scenario: Scenario = {
    finality: 20,
    commands: [
      {
        type: 'mine',
        blocks: [
          [[creation], claims(0)],
          [[reported(123)], claims(1)],
        ],
      },
      look,
      { type: 'mine', blocks: [[[reported(456, 'next')]], [claims(2)], [[reported(0), reported(789)], claims(3)]] },
      look,
      // The last price is withdrawn, and comes late; an aggregator is named that has told a price before.
      { type: 'reorganise', depth: 1, isAgain: false, blocks: [[claims(4)], [[reported(987)]]] },
      look,
      { type: 'mine', blocks: [[[{ type: 'swap', feed: 0, salt: 0 }]], [claims(5)]] },
      look,
      { type: 'restart' },
      { type: 'mine', blocks: [[[reported(654)], claims(6)]] },
    ],
  }
  const { chain, facts, freshFacts } = await runScenario(scenario, (startBlock) =>
    openKilledStore(databases.shift() ?? other, startBlock, false),
  )
  const { prices } = chain.facts()
  expect(facts).toEqual(freshFacts)
  expect(facts.values.map(({ usd }) => usd)).toEqual(facts.values.map((claim) => dueValue(claim, prices)))
  const { asset, stable, imported, unpriced } = simulatedTokens
  const valuesOf = (token: string | null) => facts.values.filter((claim) => claim.asset === token).map(({ usd }) => usd)
  expect(new Set(valuesOf(asset)).size).toBeGreaterThan(3)
  expect(new Set(valuesOf(stable))).toEqual(new Set(['0.001851']))
  expect(new Set(valuesOf(imported)).size).toBeGreaterThan(1)
  expect(new Set(valuesOf(unpriced))).toEqual(new Set([null]))
  expect(new Set(valuesOf(null))).toEqual(new Set([null]))

  // Price and decimals become known.
  const ingest = await openIngest(database.url)
  const token = { chainId: simulatedChain.chainId, address: unpriced }
  await ingest.apply({ records: [{ type: 'tokenPrice', ...token, at: new Date(0).toISOString(), priceUsd: '2' }] })
  await ingest.apply({
    records: [{ type: 'token', ...token, decimals: 3, name: '', symbol: '', imageUri: '' }],
  })
  await ingest.close()
  const known = (await valuesIn(database)).filter((claim) => claim.asset === unpriced)
  expect(new Set(known.map(({ usd }) => usd))).toEqual(new Set(['2.468']))
})

test('the fee of a claim is what the base of its validator has at the newest block, also after a reorganisation', async () => {
  const setFee = (fee: number, base: 'own' | 'other' | 'stranger' = 'own'): Operation => ({ type: 'setFee', base, fee })
  const feesAfter = async (commands: Scenario['commands']) => {
    await using one = await createTestDatabase()
    await using other = await createTestDatabase()
    const databases = [one, other]
    const { facts, freshFacts } = await runScenario({ finality: 20, commands }, (startBlock) =>
      openKilledStore(databases.shift() ?? other, startBlock, false),
    )
    expect(facts).toEqual(freshFacts)
    return facts.fees.map(({ claimFee }) => claimFee)
  }
  // The first has a payable validator.
  const commands: Scenario['commands'] = [{ type: 'mine', blocks: [[[creation], [creation]]] }, look]
  commands.push({ type: 'mine', blocks: [[[setFee(80)]]] }, look, { type: 'mine', blocks: [[[setFee(90)]]] }, look)
  commands.push({ type: 'mine', blocks: [[[setFee(1, 'other'), setFee(2, 'stranger')]]] }, look)
  expect(await feesAfter(commands)).toEqual(['90', null])
  commands.push({ type: 'reorganise', depth: 2, isAgain: false, blocks: [[], [], []] }, look)
  expect(await feesAfter(commands)).toEqual(['80', null])
})

test('an address that has an incentive of another kind on another branch is stored as that, at once', async () => {
  await using database = await createTestDatabase()
  await using other = await createTestDatabase()
  const databases = [database, other]
  const added = (kind: 'points' | 'raffle'): Operation => ({ type: 'add', campaign: 0, salt: 2, kind, setUp: true })
  const scenario: Scenario = {
    finality: 20,
    commands: [
      { type: 'mine', blocks: [[[{ ...creation, incentives: ['pool'] }]]] },
      look,
      { type: 'mine', blocks: [[[added('points')]]] },
      look,
      { type: 'reorganise', depth: 1, isAgain: false, blocks: [[[added('raffle')]], [], []] },
      look,
    ],
  }
  const { facts, freshFacts } = await runScenario(scenario, (startBlock) =>
    openKilledStore(databases.shift() ?? other, startBlock, false),
  )
  expect(facts).toEqual(freshFacts)
  expect(await database.query('select type from incentives order by position')).toEqual([
    { type: 'ERC20Incentive' },
    { type: 'ERC20Incentive' },
  ])
  expect(await database.query('select campaign_id from left_out_campaigns')).toEqual([])
})

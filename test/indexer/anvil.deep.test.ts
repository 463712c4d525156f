import { type Hex, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { whyNoAnvil } from '../../demo/anvil.ts'
import { CHAIN_ID, core, openAllowList } from '../../demo/contracts.ts'
import { startDemoChain } from '../../demo/demo-chain.ts'
import { manager } from '../../demo/time-based.ts'
import type { ListOutlooksResponse } from '../../src/features/outlook/outlook-schemas.ts'
import type { ChainEvent } from '../../src/indexer/chain-progress.ts'
import { ChainWorker } from '../../src/indexer/chain-worker.ts'
import { borrowTestApp } from '../setup/test-app.ts'
import { createFollowed } from './followed.ts'
import { openIndexed, settingsOf } from './indexed.ts'
import { startReplayingNode } from './recording/anvil.ts'
import { recordedCampaigns, recordedClaims } from './recording/recorded-facts.ts'
import { recording } from './recording/recording.ts'
import { becomeFeed, rememberRound, tellPrice } from './recording/stub-feed.ts'

type Node = Awaited<ReturnType<typeof startReplayingNode>>

function recordedBlock(index: number) {
  const block = recording.blocks[index]
  if (block === undefined) throw new RangeError(`the recording has no ${index} blocks`)
  return block
}

/** A campaign with its incentive, and two claims on it. */
const [creation, firstClaim, secondClaim] = [recordedBlock(0), recordedBlock(1), recordedBlock(2)]

/** What validators say they are, how many claims they allow, and what is made of it. */
const validators = [
  ['0xb8ce7b22', null, 'unlimited'],
  ['0x81818aa3', 1n, 'unlimited'],
  ['0xc8ebc758', 1n, 1],
  ['0xf1a436d9', 5n, 5],
  ['0xb0fafe58', 2n, 2],
  ['0x89b50fd9', BigInt(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ['0x89b50fd9', 2n ** 256n - 1n, 'unlimited'],
  ['0xc8ebc758', 0n, null],
  ['0xc8ebc758', null, null],
  ['0x12345678', 1n, null],
] as const

/** What a fresh look finds. */
async function freshFacts(node: Node) {
  const { store, settle } = createFollowed([node.url], recording.startBlock)
  await settle()
  return store.facts()
}

/** A node with a campaign and two claims, each in a block of its own, and what was followed of it. */
async function followClaims(node: Node) {
  const followed = createFollowed([node.url], recording.startBlock)
  await node.mine(creation)
  await followed.settle()
  await node.mine(firstClaim)
  await node.mine(secondClaim)
  await followed.settle()
  expect(followed.store.facts().claims).toHaveLength(2)
  return followed
}

const isMissing = await whyNoAnvil()

describe.skipIf(isMissing)(`a real node${isMissing ? ` (not here: ${isMissing})` : ''}`, () => {
  test('on which the recording is replayed by transactions gives every campaign, figure and claim', async () => {
    await using node = await startReplayingNode()
    const hashes = new Map<string, string>()
    for await (const mined of node.replay()) for (const [recorded, hash] of mined.hashes) hashes.set(recorded, hash)
    const renamed = JSON.stringify({ campaigns: recordedCampaigns, claims: recordedClaims }).replace(
      /0x[0-9a-f]{64}/g,
      (hash) => hashes.get(hash) ?? hash,
    )
    expect(await freshFacts(node)).toEqual(JSON.parse(renamed))
  })

  test('counts as many campaigns and claims as are stored, those of the recording and of the demo', async () => {
    await using replaying = await startReplayingNode()
    for await (const _ of replaying.replay());
    // The node calls blocks final that are 64 below its head.
    await replaying.mineEmpty(70)
    await using demo = await startDemoChain()
    await demo.fill(AbortSignal.timeout(60_000))
    const counted = async (chain: ReturnType<typeof settingsOf>) => {
      await using api = await borrowTestApp()
      const events: ChainEvent[] = []
      const proof = { recentMs: 600_000, allMs: 86_400_000 }
      const onEvent = (event: ChainEvent) => void events.push(event)
      const signal = AbortSignal.timeout(60_000)
      const worker = new ChainWorker({ url: api.database.url, chain, isOnce: true, proof, onEvent, signal })
      await worker.admit()
      await worker.follow()
      const [status] = (await api.get('/status')).json().chains
      expect(events.filter(({ type }) => type === 'read-again' || type === 'not-compared')).toEqual([])
      return status
    }
    expect(await counted(settingsOf(replaying.url))).toMatchObject({
      ...{ provenCampaigns: recordedCampaigns.length, provenClaims: recordedClaims.length, differences: 0 },
    })
    const ofDemo = {
      chainId: CHAIN_ID,
      cores: new Set([core]),
      timeBasedManagers: new Set([manager]),
      openAllowLists: new Set([openAllowList]),
      startBlock: 0,
    }
    const status = await counted({ ...settingsOf(demo.url), ...ofDemo })
    expect(status).toMatchObject({ chainId: CHAIN_ID, differences: 0 })
    expect(status.provenCampaigns).toBeGreaterThan(0)
    expect(status.provenClaims).toBeGreaterThan(0)
  }, 120_000)

  test('has an auction that pays what its outlook says, and a raffle with as many entries, block by block', async () => {
    await using node = await startReplayingNode()
    await using api = await borrowTestApp()
    await using indexed = await openIndexed(api.database.url, node.url)
    const contracts = new Map(recordedCampaigns.map(({ record, incentives }) => [record.id, incentives[0]?.contract]))
    const [, raffle, , , auction] = [...contracts.keys()]
    const lastClaim = Math.max(
      ...recordedClaims.flatMap((claim) => (claim.campaignId === auction ? claim.blockNumber : [])),
    )
    const seen = new Set<string>()
    for await (const { number, timestamp } of node.replay()) {
      // All in which something happens to them, and some of those after.
      if (number > lastClaim && number % 4 !== 0) continue
      await indexed.settle()
      api.setNow(new Date(timestamp * 1000))
      const { campaigns }: ListOutlooksResponse = (await api.get(`/outlook?campaignId=${raffle},${auction}`)).json()
      for (const { id, incentives } of campaigns) {
        const said = await node.read(contracts.get(id) as Hex, id === auction ? 'currentReward' : 'claims')
        expect(incentives).toMatchObject([
          id === auction ? { rewardNow: String(said) } : { entries: String(said), oddsOneIn: String(said + 1n) },
        ])
        seen.add(`${id} ${said}`)
      }
    }
    // The raffle has no entry, one and two.
    expect([...seen].filter((each) => each.startsWith(`${raffle} `))).toEqual(
      ['0', '1', '2'].map((many) => `${raffle} ${many}`),
    )
    expect(seen.size).toBeGreaterThan(10)
  })

  test('has validators that count the claims of a claimant, that count none, and that are of no known kind', async () => {
    await using node = await startReplayingNode()
    await node.mine(creation)
    const validator = recordedCampaigns[0]?.record.validator as Hex
    for (const [kind, max, expected] of validators) {
      const responses = [
        { to: validator, data: '0x28d6183b', result: kind.padEnd(66, '0') as Hex },
        { to: validator, data: '0xce5c134f', result: max === null ? null : toHex(max, { size: 32 }) },
      ] as const
      await node.mine({ ...creation, transactions: [], reads: [...responses] })
      const { campaigns } = await freshFacts(node)
      expect(campaigns.map(({ record }) => record.maxClaimsPerClaimant)).toEqual([expected])
    }
  })

  test('withdraws blocks: their claims are taken back, and the figures of before read again', async () => {
    await using node = await startReplayingNode()
    const { store, settle } = await followClaims(node)
    await node.ask('anvil_reorg', 2, [])
    await node.mineEmpty(1)
    const steps = await settle()
    expect(steps.map((step) => (step.type === 'new-blocks' ? step.depth : step.type))).toEqual([2, 'rest'])
    expect(store.facts().claims).toEqual([])
    expect(store.facts().campaigns.map(({ record }) => record.incentives[0]?.totalClaims)).toEqual(['0'])
    expect(store.facts()).toEqual(await freshFacts(node))
  })

  test('withdraws a campaign with all that there was of it', async () => {
    await using node = await startReplayingNode()
    const { store, settle } = await followClaims(node)
    await node.ask('anvil_reorg', 3, [])
    await node.mineEmpty(1)
    await settle()
    expect(store.facts()).toEqual({ campaigns: [], claims: [] })
  })

  test('has transactions happen again, in another block and with other log indexes', async () => {
    await using node = await startReplayingNode()
    const { store, settle } = await followClaims(node)
    const before = store.facts().claims
    // The second claim comes first now, and both are in the block of the second.
    const again = [...node.saying(secondClaim), ...node.saying(firstClaim), node.answering(secondClaim)]
    await node.ask(
      'anvil_reorg',
      2,
      again.map((transaction) => [transaction, 1]),
    )
    await node.mineEmpty(1)
    await settle()
    const [one, other] = before
    const after = store.facts().claims
    expect(after.map(({ claimant, blockNumber, logIndex }) => ({ claimant, blockNumber, logIndex }))).toEqual([
      { claimant: other?.claimant, blockNumber: other?.blockNumber, logIndex: 6 },
      { claimant: one?.claimant, blockNumber: other?.blockNumber, logIndex: 11 },
    ])
    expect(store.facts()).toEqual(await freshFacts(node))
  })

  test('goes back to a snapshot and takes another way from there', async () => {
    await using node = await startReplayingNode()
    const followed = createFollowed([node.url], recording.startBlock)
    await node.mine(creation)
    const snapshot = await node.ask('evm_snapshot')
    await node.mine(firstClaim)
    await followed.settle()
    expect(followed.store.facts().claims).toHaveLength(1)
    await node.ask('evm_revert', snapshot)
    await followed.settle()
    expect(followed.store.facts().claims).toEqual([])
    await node.mineEmpty(2)
    await node.mine(firstClaim, secondClaim)
    await followed.settle()
    expect(followed.store.facts().claims).toHaveLength(2)
    expect(followed.store.facts()).toEqual(await freshFacts(node))
  })

  test('tells prices by a feed: those from before, of another aggregator and of withdrawn blocks', async () => {
    await using node = await startReplayingNode()
    const [feed, first, second] = [`0x${'f0'.repeat(20)}`, `0x${'f1'.repeat(20)}`, `0x${'f2'.repeat(20)}`] as const
    const prices = [{ token: { chainId: 10, address: `0x${'aa'.repeat(20)}` as const }, feed }]
    const followed = createFollowed([node.url], recording.startBlock, { prices })
    const mine = async (items: Parameters<typeof node.send>[0]) => {
      await node.send(items)
      await node.ask('anvil_mine', '0x1')
    }
    const reported = (store = followed.store) =>
      store.toldPrices().map(({ priceUsd, blockNumber }) => [blockNumber, priceUsd])
    const fresh = async () => {
      const { store, settle } = createFollowed([node.url], recording.startBlock, { prices })
      await settle()
      return reported(store)
    }
    const start = recording.startBlock
    await mine([...becomeFeed(feed, [first]), rememberRound(feed, 1n, 6n, 150_000_000n, 1000)])
    await mine([tellPrice(first, 7n, 2n ** 200n), tellPrice(second, 1n, 9n)])
    await mine([tellPrice(first, 8n, -5n), tellPrice(first, 8n, 123_456_789n)])
    await followed.settle()
    const whole = String(2n ** 200n)
    const atFirst = [
      [0, '1.5'],
      [start + 2, `${whole.slice(0, -8)}.${whole.slice(-8)}`],
      [start + 3, '1.23456789'],
    ]
    expect(reported()).toEqual(atFirst)
    // No log tells that the proxy has another aggregator, which has told a price before.
    await mine(becomeFeed(feed, [first, second]))
    await followed.settle()
    const withSecond = [...atFirst.slice(0, 2), [start + 2, '0.00000009'], ...atFirst.slice(2)]
    expect(reported()).toEqual(withSecond)
    await mine([tellPrice(second, 2n, 200_000_000n)])
    await followed.settle()
    expect(reported()).toEqual([...withSecond, [start + 5, '2']])
    expect(await fresh()).toEqual(reported())
    // With the price goes what has named its aggregator.
    await node.ask('anvil_reorg', 2, [])
    await node.mineEmpty(1)
    await followed.settle()
    expect(reported()).toEqual(atFirst)
    expect(await fresh()).toEqual(atFirst)
  })

  test('lets its head fall', async () => {
    await using node = await startReplayingNode()
    const { store, settle } = await followClaims(node)
    const claims = store.facts().claims
    await node.ask('anvil_rollback', 1)
    await settle()
    expect(store.facts().claims).toEqual(claims.slice(0, 1))
    expect(store.state.asOf?.number).toBe(recording.startBlock + 2)
    expect(store.facts()).toEqual(await freshFacts(node))
    await node.ask('anvil_rollback', 1)
    await node.mine(secondClaim)
    await settle()
    expect(store.facts()).toEqual(await freshFacts(node))
  })
})

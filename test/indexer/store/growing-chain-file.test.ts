import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import type { Query } from '../../../src/database/connection/snapshot.ts'
import { examineChains } from '../../../src/doctor/database-checks.ts'
import type { ChainSettings } from '../../../src/indexer/chain-config.ts'
import type { ChainUpdate } from '../../../src/indexer/sync/sync-updates.ts'
import { contentOf } from '../../setup/data/stored-content.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { openIndexed } from '../indexed.ts'
import { Playing, playedRecording } from '../recording/played-recording.ts'
import { recording } from '../recording/recording.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'
import { SimulatedChain } from '../simulation/simulated-chain.ts'
import { simulatedChain } from '../simulation/simulated-protocol.ts'
import type { TimedDeed } from '../simulation/simulated-time-based.ts'

const END = recording.blocks.at(-1)?.number ?? 0
const [core = '0x'] = recording.cores
/** A core without campaigns. */
const idle: Hex = `0x${'1d'.repeat(20)}`
const other: Hex = `0x${'2d'.repeat(20)}`

const onlyIdle = { cores: new Set([idle]) }
const both = { cores: new Set([core, idle]) }

/** What is stored, but not in how many steps. */
async function factsOf(database: TestDatabase) {
  const { followed_chains, followed_blocks, tokens, ...facts } = await contentOf(database)
  const blocks = await database.query(
    `select number::integer, hash, array(select unnest(touched_campaigns) order by 1) as campaigns, claims
    from followed_blocks where touched_campaigns <> '{}' order by number`,
  )
  const [chain] = await database.query(
    'select cores, start_block::integer, joining, as_of_block::integer from followed_chains',
  )
  return { ...facts, blocks, chain }
}

type Parts = Partial<ChainSettings>

/** What is stored where the chain file was always the same. */
async function freshFacts(url: string, chain: Parts) {
  await using database = await createTestDatabase()
  await using index = await openIndexed(database.url, url, { chain })
  await index.settle()
  return await factsOf(database)
}

async function settled(database: TestDatabase, url: string, chain: Parts) {
  await using index = await openIndexed(database.url, url, { chain })
  return await index.settle()
}

const typesOf = (steps: readonly ChainUpdate[]) => new Set(steps.map(({ type }) => type))

const countIn = async (database: TestDatabase) => {
  const [row] = await database.query(
    'select (select count(*)::integer from campaigns) as campaigns, (select count(*)::integer from claims) as claims',
  )
  return row
}

test('a core that is added is read by itself, and all of it is shown at once', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(playedRecording(END - 20))
  await settled(database, node.url, onlyIdle)
  expect(await countIn(database)).toEqual({ campaigns: 0, claims: 0 })
  await using index = await openIndexed(database.url, node.url, { chain: both })
  const steps: ChainUpdate[] = []
  while (!steps.some((step) => step.type === 'new-blocks')) {
    expect(await countIn(database)).toEqual({ campaigns: 0, claims: 0 })
    steps.push(...(await index.settle(2)))
  }
  expect(typesOf(steps)).toEqual(new Set(['rest', 'added', 'new-blocks']))
  // The first part of the recording is found before the last blocks are.
  expect(steps.flatMap((step) => (step.type === 'added' ? step.claims : [])).length).toBeGreaterThan(0)
  expect(await countIn(database)).toEqual({ campaigns: 10, claims: 18 })
  await index.settle()
  expect(await factsOf(database)).toEqual(await freshFacts(node.url, both))
})

test('what is added goes on to be read after a restart, beside new blocks, and joins with claims that may be withdrawn', async () => {
  const chain = new Playing(4)
  await using node = await startScriptedNode(chain)
  await using database = await createTestDatabase()
  for (let blocks = 0; blocks < 300; blocks += 1) chain.mine(blocks % 20 === 0 ? 2 : 0)
  await settled(database, node.url, onlyIdle)
  {
    await using index = await openIndexed(database.url, node.url, { chain: both })
    await index.settle(2)
    expect(await countIn(database)).toEqual({ campaigns: 0, claims: 0 })
  }
  chain.mine(4)
  chain.mine(4)
  await settled(database, node.url, both)
  expect(await factsOf(database)).toEqual(await freshFacts(node.url, both))
  const before = await countIn(database)
  chain.withdraw(2)
  chain.mine(0)
  chain.mine(0)
  chain.mine(0)
  await settled(database, node.url, both)
  expect(await factsOf(database)).toEqual(await freshFacts(node.url, both))
  expect(await countIn(database)).not.toEqual(before)
})

test('earlier blocks that are added bring the campaigns of then, with all their claims', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(playedRecording(END - 20))
  // Campaigns are created in the first blocks, and claimed in later ones.
  await settled(database, node.url, { startBlock: recording.startBlock + 21 })
  const before = await countIn(database)
  const steps = await settled(database, node.url, { startBlock: recording.startBlock })
  expect(typesOf(steps)).toContain('added')
  expect(await countIn(database)).not.toEqual(before)
  expect(await factsOf(database)).toEqual(await freshFacts(node.url, {}))
})

test('earlier blocks without campaigns are read, and no later ones', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(playedRecording(END - 20))
  const late = recording.startBlock + 500
  await settled(database, node.url, { cores: new Set([idle]), startBlock: late })
  const steps = await settled(database, node.url, { cores: new Set([idle]), startBlock: late - 200 })
  const last = Math.max(...steps.flatMap((step) => (step.type === 'added' ? step.to : [])))
  expect(last).toBeLessThan(late + 300)
  expect(await factsOf(database)).toEqual(
    await freshFacts(node.url, { cores: new Set([idle]), startBlock: late - 200 }),
  )
})

test('a chain file that changes again before all of it has joined is read as it is now', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(playedRecording(END - 20))
  await settled(database, node.url, onlyIdle)
  for (const chain of [both, { cores: new Set([idle, other]) }]) {
    await using index = await openIndexed(database.url, node.url, { chain })
    await index.settle(2)
  }
  const last = { cores: new Set([core, idle, other]) }
  await settled(database, node.url, last)
  expect(await factsOf(database)).toEqual(await freshFacts(node.url, last))
})

test('a core that is added before anything is shown is read with the rest', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(playedRecording(END - 20))
  {
    await using index = await openIndexed(database.url, node.url, { chain: onlyIdle })
    await index.settle(2)
  }
  await settled(database, node.url, both)
  expect(await factsOf(database)).toEqual(await freshFacts(node.url, both))
})

test('a core that is taken out is told at each start, its campaigns stay, and joins again', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(playedRecording(END - 20))
  await settled(database, node.url, both)
  const before = await countIn(database)
  for (let starts = 0; starts < 2; starts += 1) {
    const unfollowed: string[] = []
    await using index = await openIndexed(database.url, node.url, {
      chain: onlyIdle,
      onUnfollowed: (cores) => unfollowed.push(...cores),
    })
    await index.settle()
    expect(unfollowed).toEqual([core])
  }
  expect(await countIn(database)).toEqual(before)
  const chain = { chainId: 8453, state: 'following' as const, lagSeconds: 1 }
  const unknown = { asOfBlock: null, asOfBlockHash: null, asOfAt: null, headBlock: null, finalizedBlock: null }
  const unproven = { provenBlock: null, provenAt: null, provenCampaigns: null, provenClaims: null, differences: 0 }
  const query: Query = async <Row extends object>(sql: string) => (await database.query(sql)) as Row[]
  expect(await examineChains([{ ...chain, ...unknown, ...unproven, contractVersion: null }], query)).toMatchObject({
    state: 'warning',
    found: `campaigns are not followed any more: 10 of ${core} on chain 8453`,
  })
  await settled(database, node.url, both)
  expect(await factsOf(database)).toEqual(await freshFacts(node.url, both))
})

test('a manager that is added joins with its campaigns and their claims, some of which may be withdrawn', async () => {
  const chain = new SimulatedChain(2)
  await using node = await startScriptedNode(chain)
  await using database = await createTestDatabase()
  const creation: TimedDeed = { type: 'timed create', salt: 0, kind: 'fixed', amount: 10_000, isReadable: true }
  const claim: TimedDeed = { type: 'timed claim', campaign: 0, amount: 250, salt: 1 }
  const root: TimedDeed = { type: 'timed root', campaign: 0, amount: 900, salt: 1 }
  for (const deeds of [[creation], [root], [claim], [], [], [claim]]) chain.mine(deeds.length === 0 ? [] : [deeds])
  const all = { ...simulatedChain, startBlock: chain.startBlock }
  await settled(database, node.url, { ...all, timeBasedManagers: new Set() })
  expect(await countIn(database)).toEqual({ campaigns: 0, claims: 0 })
  // What a new block brings of it is not shown before the rest is.
  chain.mine([[{ ...creation, salt: 1 }]])
  {
    await using index = await openIndexed(database.url, node.url, { chain: all })
    expect(typesOf(await index.settle(1))).toEqual(new Set(['new-blocks']))
    expect(await countIn(database)).toEqual({ campaigns: 0, claims: 0 })
  }
  await settled(database, node.url, all)
  expect(await countIn(database)).toEqual({ campaigns: 2, claims: 2 })
  expect(await factsOf(database)).toEqual(await freshFacts(node.url, all))
  chain.withdraw(2)
  chain.mine([])
  await settled(database, node.url, all)
  expect(await countIn(database)).toEqual({ campaigns: 1, claims: 1 })
  expect(await factsOf(database)).toEqual(await freshFacts(node.url, all))
})

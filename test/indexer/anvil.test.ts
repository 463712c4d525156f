import { describe, expect, test } from 'vitest'
import { whyNoAnvil } from '../../demo/anvil.ts'
import { createFollowed } from './followed.ts'
import { startReplayingNode } from './recording/anvil.ts'
import { recordedCampaigns, recordedClaims } from './recording/recorded-facts.ts'
import { recording } from './recording/recording.ts'

type Node = Awaited<ReturnType<typeof startReplayingNode>>

function recordedBlock(index: number) {
  const block = recording.blocks[index]
  if (block === undefined) throw new RangeError(`the recording has no ${index} blocks`)
  return block
}

/** A campaign with its incentive, and two claims on it. */
const [creation, firstClaim, secondClaim] = [recordedBlock(0), recordedBlock(1), recordedBlock(2)]

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
    let last = recording.startBlock
    for (const block of recording.blocks) {
      if (block.number > last + 1) await node.mineEmpty(block.number - last - 1)
      await node.ask('evm_setNextBlockTimestamp', block.timestamp)
      for (const [recorded, hash] of await node.mine(block)) hashes.set(recorded, hash)
      last = block.number
    }
    const renamed = JSON.stringify({ campaigns: recordedCampaigns, claims: recordedClaims }).replace(
      /0x[0-9a-f]{64}/g,
      (hash) => hashes.get(hash) ?? hash,
    )
    expect(await freshFacts(node)).toEqual(JSON.parse(renamed))
  })

  test('withdraws blocks: their claims are taken back, and the figures of before read again', async () => {
    await using node = await startReplayingNode()
    const { store, settle } = await followClaims(node)
    await node.ask('anvil_reorg', 2, [])
    await node.mineEmpty(1)
    const steps = await settle()
    expect(steps.map((step) => (step.type === 'advance' ? step.depth : step.type))).toEqual([2, 'rest'])
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

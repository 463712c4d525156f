import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { defaultBackFillSettings } from '../../../src/indexer/sync/log-ranges.ts'
import { syncOnce } from '../../../src/indexer/sync/sync-once.ts'
import type { SyncMemory } from '../../../src/indexer/sync/sync-updates.ts'
import { createFollowed } from '../followed.ts'
import { playedRecording } from '../recording/played-recording.ts'
import { recordedChain, recording } from '../recording/recording.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

const END = recording.blocks.at(-1)?.number ?? 0
const feed: Hex = `0x${'fe'.repeat(20)}`

test('feeds are asked again at once after a look of which nothing was stored, and later after one that was', async () => {
  const chain = playedRecording(END - 20)
  const { callAt } = chain
  let reads = 0
  chain.callAt = (block, to, data) => {
    if (to === feed) reads += 1
    return callAt(block, to, data)
  }
  await using node = await startScriptedNode(chain)
  const { store, client } = createFollowed([node.url], recording.startBlock)
  const settings = {
    ...{ ...defaultBackFillSettings, startBlock: recording.startBlock },
    ...{ maxWaitMs: 0, feedCheckMs: 60_000 },
  }
  const token = { chainId: recordedChain.chainId, address: `0x${'aa'.repeat(20)}` as const }
  const following = { chain: { ...recordedChain, prices: [{ token, feed }] }, client, store, settings }
  const memory: SyncMemory = {}
  const readsOfLook = async (stores: boolean) => {
    reads = 0
    for await (const step of syncOnce(following, store.state, memory)) {
      if (!stores) break
      store.apply(step)
    }
    return reads
  }
  expect(await readsOfLook(false)).toBeGreaterThan(0)
  expect(await readsOfLook(true)).toBeGreaterThan(0)
  // The first advance asks in any case: what was found during the backfill may have been withdrawn.
  expect(await readsOfLook(true)).toBeGreaterThan(0)
  expect(await readsOfLook(true)).toBe(0)
})

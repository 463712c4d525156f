import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { incentiveSetUps } from '../../../src/indexer/protocol/boost-core/incentives/incentives.ts'
import { createFollowed } from '../followed.ts'
import { Playing, playedRecording } from '../recording/played-recording.ts'
import { recordedCampaigns, recordedClaims, recordedTokens } from '../recording/recorded-facts.ts'
import { recording } from '../recording/recording.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

const recordedFacts = { campaigns: recordedCampaigns, claims: recordedClaims }
const END = recording.blocks.at(-1)?.number ?? 0

/** What a fresh look at a chain finds. */
async function factsOf(url: string, startBlock = recording.startBlock) {
  const fresh = createFollowed([url], startBlock)
  await fresh.settle()
  return fresh.store.facts()
}

describe('from nothing', () => {
  test('final blocks are back-filled by ranges, and the rest is read by hash: every campaign, figure and claim', async () => {
    await using node = await startScriptedNode(playedRecording(END - 20))
    const { store, settle } = createFollowed([node.url], recording.startBlock)
    const steps = await settle()
    expect(store.facts()).toEqual(recordedFacts)
    expect([...store.tokens.values()]).toHaveLength(recordedTokens.length)
    expect([...store.tokens.values()]).toEqual(expect.arrayContaining(recordedTokens))
    expect(new Set(steps.map(({ type }) => type))).toEqual(new Set(['back-fill', 'new-blocks', 'rest']))
    expect(store.state.asOf?.number).toBe(END)
    expect(store.state.window.map(({ number }) => number)).toEqual(
      Array.from({ length: 20 }, (_, index) => END - 19 + index),
    )
  })

  test('contracts are read at the head only: no node has to remember', async () => {
    const chain = playedRecording(END - 20)
    const { callAt } = chain
    chain.callAt = (block, to, data) => (block.number === END ? callAt(block, to, data) : null)
    await using node = await startScriptedNode(chain)
    expect(await factsOf(node.url)).toEqual(recordedFacts)
  })

  test('a back-fill goes on where it was', async () => {
    await using node = await startScriptedNode(playedRecording(END - 20))
    const whole = createFollowed([node.url], recording.startBlock)
    const [first] = (await whole.settle()).filter(({ type }) => type === 'back-fill')
    if (first === undefined) throw new Error('nothing was back-filled')
    const resumed = createFollowed([node.url], recording.startBlock)
    resumed.store.apply(first)
    const steps = await resumed.settle()
    expect(steps[0]).toMatchObject({ type: 'back-fill', to: recording.startBlock + 199 })
    expect(resumed.store.facts()).toEqual(recordedFacts)
  })

  test('where nobody tells what is final, it is what is far below the head', async () => {
    await using node = await startScriptedNode({ ...playedRecording(0), finalized: null })
    expect(await factsOf(node.url)).toEqual(recordedFacts)
  })
})

test('block by block, each is read as it comes', async () => {
  const chain = new Playing(10)
  await using node = await startScriptedNode(chain)
  const { store, settle } = createFollowed([node.url], recording.startBlock)
  for (const { number } of recording.blocks) {
    chain.mine(1)
    await settle()
    expect(store.state.asOf?.hash, `after ${number}`).toBe(chain.head.hash)
  }
  const { campaigns, claims } = store.facts()
  expect(claims.map(({ txHash }) => txHash)).toEqual(recordedClaims.map(({ txHash }) => txHash))
  expect(campaigns.map(({ record }) => record.incentives)).toEqual(
    recordedCampaigns.map(({ record }) => record.incentives),
  )
})

test('after a long time away, on a chain whose head is final at once, everything since is found', async () => {
  const chain = new Playing(0)
  await using node = await startScriptedNode(chain)
  const { store, settle } = createFollowed([node.url], recording.startBlock)
  chain.mine(5)
  await settle()
  chain.mine(100)
  for (let empty = 0; empty < 300; empty += 1) chain.mine(0)
  await settle()
  expect(store.state.asOf?.hash).toBe(chain.head.hash)
  expect(store.facts().claims.map(({ txHash }) => txHash)).toEqual(recordedClaims.map(({ txHash }) => txHash))
})

test('after a long time away, a node need not remember contracts for as long as that takes to read', async () => {
  const chain = Object.assign(new Playing(0), { keptStates: 16 })
  await using node = await startScriptedNode(chain)
  const { store, settle } = createFollowed([node.url], recording.startBlock)
  chain.mine(5)
  await settle()
  chain.mine(100)
  for (let empty = 0; empty < 300; empty += 1) chain.mine(0)
  node.interfere = (requests) => {
    const searches = requests.filter(
      ({ method, params: [filter] }) => method === 'eth_getLogs' && 'fromBlock' in Object(filter),
    )
    for (let mined = 0; mined < 20 * searches.length; mined += 1) chain.mine(0)
    return false
  }
  await settle()
  expect(store.state.asOf?.hash).toBe(chain.head.hash)
  expect(store.facts().claims.map(({ txHash }) => txHash)).toEqual(recordedClaims.map(({ txHash }) => txHash))
})

test('far below a head that is not final, a node need not remember contracts for as long as that takes to read', async () => {
  const chain = Object.assign(new Playing(400), { keptStates: 16 })
  await using node = await startScriptedNode(chain)
  node.interfere = (requests) => {
    const searches = requests.filter(({ method }) => method === 'eth_getLogs')
    for (let mined = 0; searches.length > 40 && mined < 5; mined += 1) chain.mine(0)
    return false
  }
  const { store, settle } = createFollowed([node.url], recording.startBlock)
  for (const recorded of [5, 100]) {
    chain.mine(recorded)
    for (let empty = 0; empty < 400; empty += 1) chain.mine(0)
    await settle()
    expect(store.state.asOf?.hash).toBe(chain.head.hash)
  }
  expect(store.facts().claims.map(({ txHash }) => txHash)).toEqual(recordedClaims.map(({ txHash }) => txHash))
})

test.each([50, 500])(
  'a chain that is %i blocks before its first block is waited for: nothing before that counts',
  async (missing) => {
    const chain = new Playing(10)
    await using node = await startScriptedNode(chain)
    const { store, settle } = createFollowed([node.url], recording.startBlock + missing)
    await settle()
    chain.mine(100)
    await settle()
    for (let empty = 0; empty < 600; empty += 1) chain.mine(0)
    await settle()
    expect(store.state.asOf?.hash).toBe(chain.head.hash)
    expect(store.facts()).toEqual({ campaigns: [], claims: [] })
  },
)

test('a reorganisation below what an unfinished back-fill has read is noticed, and all of it is read again', async () => {
  const chain = new Playing(10)
  for (let blocks = 0; blocks < 400; blocks += 1) chain.mine(blocks % 20 === 0 ? 1 : 0)
  await using node = await startScriptedNode(chain)
  const first = createFollowed([node.url], recording.startBlock)
  const [range] = (await first.settle()).filter(({ type }) => type === 'back-fill')
  if (range === undefined) throw new Error('nothing was back-filled')
  // Final blocks that are withdrawn: there is a campaign in them.
  chain.withdraw(395)
  for (let blocks = 0; blocks < 400; blocks += 1) chain.mine(0)
  for (const blocks of [0, 400]) {
    for (let more = 0; more < blocks; more += 1) chain.mine(0)
    const resumed = createFollowed([node.url], recording.startBlock)
    resumed.store.apply(range)
    const steps = await resumed.settle()
    expect(steps.map(({ type }) => type)).toContain('restart')
    expect(resumed.store.facts()).toEqual(await factsOf(node.url))
  }
})

describe('an auction that has not said how it was set up, and was claimed from since,', () => {
  const auction = recordedCampaigns[4]
  const contract = auction?.incentives[0]?.contract
  function withSilentAuction() {
    const chain = playedRecording(END - 20)
    const setUps = incentiveSetUps.map(([topic]) => topic)
    for (const block of chain.blocks) {
      block.logs = block.logs.filter((log) => log.address !== contract || !setUps.includes(log.topics[0] ?? '0x'))
    }
    return chain
  }

  test('is read at its creation where the node still has that block', async () => {
    await using node = await startScriptedNode(withSilentAuction())
    expect(auction?.record.incentives[0]?.type).toBe('CGDAIncentive')
    expect(await factsOf(node.url)).toEqual(recordedFacts)
  })

  test('is unknown where it has not', async () => {
    await using node = await startScriptedNode({ ...withSilentAuction(), keptStates: 100 })
    const { campaigns } = await factsOf(node.url)
    expect(campaigns[4]?.unknown).toEqual([
      { kind: 'incentive', campaignId: auction?.record.id, contract, position: 0 },
    ])
    expect(campaigns.toSpliced(4, 1)).toEqual(recordedCampaigns.toSpliced(4, 1))
  })
})

describe('of two claims of a transaction with one payment the first has it', () => {
  const [claim] = recordedClaims
  const claimLog = (log: { transactionHash: string; logIndex: number }) =>
    log.transactionHash === claim?.txHash && log.logIndex === claim?.logIndex

  test('where the core says both', async () => {
    const chain = playedRecording(END - 20)
    const block = chain.blocks.find(({ logs }) => logs.some(claimLog))
    const log = block?.logs.find(claimLog)
    if (block === undefined || log === undefined || claim === undefined) throw new Error('a claim was recorded')
    block.logs.push({ ...log, logIndex: 1000 })
    await using node = await startScriptedNode(chain)
    const { claims } = await factsOf(node.url)
    expect(claims.filter(({ txHash }) => txHash === claim.txHash)).toEqual([
      claim,
      { ...claim, amount: '0', logIndex: 1000 },
    ])
  })

  test('and it is one where the node says it twice', async () => {
    await using node = await startScriptedNode(playedRecording(END - 20))
    const { search } = node
    node.search = (filter) => {
      const found = search(filter)
      if (!('result' in found)) return found
      const ofCores = found.result.filter(({ address }) => recording.cores.includes(address))
      return { result: [...found.result, ...ofCores] }
    }
    expect(await factsOf(node.url)).toEqual(recordedFacts)
  })
})

describe('a reorganisation', () => {
  test('takes back what the withdrawn blocks brought, and reads what is there now', async () => {
    const chain = new Playing(100)
    await using node = await startScriptedNode(chain)
    const { store, settle } = createFollowed([node.url], recording.startBlock)
    for (let index = 0; index < 6; index += 1) chain.mine(1)
    await settle()
    expect(store.facts().claims).toHaveLength(4)
    chain.withdraw(4)
    chain.mine(0)
    chain.mine(0)
    chain.mine(0)
    chain.mine(0)
    chain.mine(0)
    const steps = await settle()
    expect(steps.map((step) => (step.type === 'new-blocks' ? step.depth : step.type))).toEqual([4, 'rest'])
    expect(store.facts().claims).toHaveLength(1)
    expect(store.facts().campaigns.map(({ record }) => record.incentives[0]?.totalClaims)).toEqual(['1'])
  })

  test('may give a transaction another log index and another block', async () => {
    const chain = new Playing(100)
    await using node = await startScriptedNode(chain)
    const { store, settle } = createFollowed([node.url], recording.startBlock)
    for (let index = 0; index < 3; index += 1) chain.mine(1)
    await settle()
    chain.withdraw(2)
    chain.mine(2)
    chain.mine(0)
    chain.mine(0)
    await settle()
    const first = recording.startBlock + 2
    expect(store.facts().claims.map(({ logIndex, blockNumber }) => [logIndex, blockNumber])).toEqual([
      [4, first],
      [11, first],
    ])
  })

  test('takes an incentive back that was added to a campaign that stays', async () => {
    const chain = new Playing(100)
    await using node = await startScriptedNode(chain)
    const { store, settle } = createFollowed([node.url], recording.startBlock)
    chain.mine(37)
    await settle()
    const before = store.facts()
    chain.mine(1)
    await settle()
    expect(store.facts().campaigns[7]?.incentives).toHaveLength(2)
    chain.withdraw(1)
    chain.mine(0)
    chain.mine(0)
    await settle()
    expect(before.campaigns[7]?.incentives).toHaveLength(1)
    expect(store.facts()).toEqual(before)
  })

  test('a chain that has become shorter is believed when it stays so', async () => {
    const chain = new Playing(100)
    await using node = await startScriptedNode(chain)
    const { store, settle } = createFollowed([node.url], recording.startBlock, { maxWaitMs: 200 })
    for (let index = 0; index < 3; index += 1) chain.mine(1)
    await settle()
    chain.withdraw(2)
    await settle()
    expect(store.facts().claims).toHaveLength(2)
    await new Promise((resolve) => setTimeout(resolve, 250))
    await settle()
    expect(store.facts().claims).toHaveLength(0)
    expect(store.state.asOf?.hash).toBe(chain.head.hash)
  })

  test('deeper than all that is stored takes back everything, and begins anew', async () => {
    const chain = new Playing(3)
    await using node = await startScriptedNode(chain)
    const { store, settle } = createFollowed([node.url], recording.startBlock)
    chain.mine(3)
    await settle()
    store.state = { ...store.state, window: store.state.window.slice(-1) }
    chain.withdraw(1)
    chain.mine(1)
    chain.mine(0)
    const steps = await settle()
    expect(steps.map(({ type }) => type)).toContain('restart')
    expect(store.facts()).toEqual(await factsOf(node.url))
  })
})

test('whatever a chain does, what is stored is in the end what a fresh look finds', async () => {
  const actionDetails = fc.oneof(
    { weight: 5, arbitrary: fc.record({ mine: fc.integer({ min: 0, max: 3 }) }) },
    { weight: 2, arbitrary: fc.record({ withdraw: fc.integer({ min: 0, max: 100 }) }) },
    { weight: 2, arbitrary: fc.constant('look' as const) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(actionDetails, { minLength: 5, maxLength: 60 }), async (operations) => {
      const chain = new Playing(8)
      await using node = await startScriptedNode(chain)
      const { store, settle } = createFollowed([node.url], recording.startBlock)
      for (const one of operations) {
        if (one === 'look') await settle()
        else if ('mine' in one) chain.mine(one.mine)
        else chain.withdraw(one.withdraw)
      }
      await settle()
      expect(store.state.asOf?.hash).toBe(chain.head.hash)
      expect(store.facts()).toEqual(await factsOf(node.url))
    }),
    { numRuns: 25 },
  )
})

import { expect, test } from 'vitest'
import { isUnavailable } from '../../../src/indexer/sync/sync-loop.ts'
import { createTestDatabase } from '../../setup/database.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'
import { SimulatedChain } from '../simulation/simulated-chain.ts'
import { idOf, kinds, type Operation } from '../simulation/simulated-protocol.ts'
import { isClaim, leaveOut, openProven } from './proven-chain.ts'

const creation = {
  ...{ type: 'create', salt: 0, setUp: true, named: true, action: 'event', list: 'deny', isReadable: true },
  incentives: [...kinds],
} satisfies Operation
const claim = (incentive: number, campaign = 0, amount = 1234): Operation => ({
  ...{ type: 'claim', campaign, incentive, claimant: incentive, amount },
})
const claims = (campaign = 0) => kinds.map((_, incentive) => claim(incentive, campaign))
const everyOther = (type: 'topUp' | 'clawBack', isDirect: boolean): Operation[] =>
  kinds.map((_, incentive) => ({ type, campaign: 0, incentive, amount: 7, isDirect }))
const KNOWN = kinds.length - 1

/** Three blocks are not final. */
function aChain() {
  const chain = new SimulatedChain(3)
  chain.mine([[creation]])
  chain.mine([claims()])
  return chain
}

const mineEmpty = (chain: SimulatedChain, blocks: number) => {
  for (let block = 0; block < blocks; block += 1) chain.mine([])
}

const stateOf = async (database: Awaited<ReturnType<typeof createTestDatabase>>) => {
  const [row] = await database.query(
    `select proven_block::integer as block, proven_campaigns::integer as campaigns, proven_claims::integer as claims,
      uncounted_campaigns::integer as "uncountedCampaigns", uncounted_claims::integer as "uncountedClaims", differences
    from followed_chains`,
  )
  return row
}

test('no kind of campaign, claim, draw, top-up or clawback is a difference, nor is what is not final', async () => {
  await using database = await createTestDatabase()
  const chain = aChain()
  chain.mine([everyOther('topUp', true), everyOther('topUp', false)])
  chain.mine([everyOther('clawBack', true)])
  chain.mine([everyOther('clawBack', false)])
  chain.mine([[{ ...creation, isReadable: false }], [{ type: 'forge', campaign: 0, incentive: 0, amount: 5 }]])
  mineEmpty(chain, 3)
  await using node = await startScriptedNode(chain)
  await using proven = await openProven(database.url, [node.url], chain.startBlock)
  expect(await proven.proof.prove({ share: 1 })).toBeUndefined()
  await proven.settle()
  const report = { block: chain.finalized, campaigns: 2, claims: KNOWN, uncountedCampaigns: 0, uncountedClaims: 0 }
  expect(await proven.proof.prove({ share: 1 })).toEqual({ ...report, differences: 0, differing: [] })
  expect(await stateOf(database)).toEqual({ ...report, differences: 0 })
  // A campaign, an incentive and claims of blocks that are not final.
  chain.mine([[creation], claims()])
  chain.mine([[{ type: 'add', campaign: 0, salt: 1, kind: 'variable', setUp: true }], claims(2)])
  await proven.settle()
  expect(await proven.proof.prove({ share: 1 })).toMatchObject({ ...report, block: chain.finalized, differences: 0 })
  // They are withdrawn, and others come.
  chain.withdraw(2)
  chain.mine([claims()])
  mineEmpty(chain, 2)
  await proven.settle()
  expect(await proven.proof.prove({ share: 1 })).toMatchObject({ ...report, block: chain.finalized, differences: 0 })
  mineEmpty(chain, 1)
  await proven.settle()
  expect(await proven.proof.prove({ share: 1 })).toMatchObject({ claims: 2 * KNOWN, differences: 0 })
  expect(proven.readings).toEqual([])
})

test('a chain that is withdrawn between reading what is stored and comparing, or a node that is behind, is no difference', async () => {
  await using database = await createTestDatabase()
  const chain = aChain()
  mineEmpty(chain, 4)
  await using node = await startScriptedNode(chain)
  await using proven = await openProven(database.url, [node.url], chain.startBlock)
  await proven.settle()
  let isFirst = true
  node.interfere = (requests) => {
    if (isFirst && requests.some(({ method }) => method === 'eth_call')) {
      isFirst = false
      chain.withdraw(3)
      chain.mine([claims()])
      mineEmpty(chain, 3)
    }
    return false
  }
  expect(await proven.proof.prove({ share: 1 })).toMatchObject({ claims: KNOWN, differences: 0 })
  await proven.settle()
  expect(await proven.proof.prove({ share: 1 })).toMatchObject({ differences: 0 })
  // The node has lost the newest blocks, also those that are final.
  const blocks = chain.blocks.splice(-6)
  await expect(proven.proof.prove({ share: 1 })).rejects.toThrow('does not have a block yet')
  chain.blocks.push(...blocks)
  expect(await stateOf(database)).toMatchObject({ differences: 0 })
})

test.each([
  ['one log of a block', (block: number, index: number) => block === 101 && index === 0],
  ['all logs of a range', (block: number) => block >= 100 && block <= 102],
  ['all logs of a block', (block: number) => block === 101],
] as const)('where a node leaves out %s, the other one mends it', async (_, isLeftOut) => {
  await using database = await createTestDatabase()
  const chain = aChain()
  chain.mine([[creation], claims(1)])
  mineEmpty(chain, 4)
  await using node = await startScriptedNode(chain)
  await using other = await startScriptedNode(chain)
  let seen = 0
  leaveOut(
    node,
    (log) => (isClaim(log) && isLeftOut(log.blockNumber, seen++)) || (!isClaim(log) && isLeftOut(log.blockNumber, 1)),
  )
  await using proven = await openProven(database.url, [node.url, other.url], chain.startBlock)
  await proven.settle()
  const report = await proven.proof.prove({ share: 1 })
  expect(proven.reports[0]?.differing.length).toBeGreaterThan(0)
  expect(proven.readings.map(({ endpoint }) => endpoint)).toEqual([2])
  expect(report).toMatchObject({ differences: 0, campaigns: 2, claims: 2 * KNOWN })
  // As if nothing had been missing.
  await using fresh = await createTestDatabase()
  await using complete = await openProven(fresh.url, [other.url], chain.startBlock)
  await complete.settle()
  const facts = `select claims.chain_id, encode(claims.tx_hash, 'hex') as hash, log_index, id, incentive_position, claimant, amount::text, claims.block_timestamp
    from claims join campaigns on key = campaign_key order by hash, log_index`
  expect(await database.query(facts)).toEqual(await fresh.query(facts))
  const figures = `select id, position, type, definition, claim_count::text, claimed_amount::text
    from incentives join campaigns on key = campaign_key order by id, position`
  expect(await database.query(figures)).toEqual(await fresh.query(figures))
})

test('a chain with stale blooms goes on, and a node with right ones that leaves out logs is found out by the counters', async () => {
  await using database = await createTestDatabase()
  const chain = Object.assign(aChain(), { hasBlooms: true })
  await using node = await startScriptedNode(chain)
  await using proven = await openProven(database.url, [node.url], chain.startBlock)
  // Blooms have the topics of claims, and their blocks seem to have no logs at all: each block, one after the other.
  const giveBack = leaveOut(node, ({ blockNumber }) => blockNumber > 101)
  await proven.settle()
  for (let block = 0; block < 8; block += 1) {
    chain.mine([claims()])
    await proven.settle()
  }
  const [state] = await database.query('select as_of_block::integer as block from followed_chains')
  expect(state).toEqual({ block: chain.head.number })
  const report = await proven.proof.prove({ share: 1 })
  expect(report?.differing).toHaveLength(KNOWN + 3)
  giveBack()
  expect(await proven.proof.prove({ share: 1 })).toMatchObject({ claims: KNOWN * (1 + 8 - 3), differences: 0 })
})

test.each([
  'keeps all states',
  'has lost the first blocks',
  'returns nothing of states that it has lost, as before a core is deployed',
])(
  'a core that counts campaigns from before the first block is compared with those since, where a node %s',
  async (node) => {
    const chain = aChain()
    chain.mine([[creation], claims(1)])
    mineEmpty(chain, 4)
    await using served = await startScriptedNode(chain)
    await using database = await createTestDatabase()
    await using proven = await openProven(database.url, [served.url], chain.startBlock + 1)
    if (node.startsWith('has lost')) chain.blocks.splice(0, 2)
    const { callAt, head } = chain
    await proven.settle()
    if (node.startsWith('returns nothing')) {
      chain.callAt = (block, to, data) => (block.number < head.number - 3 ? '0x' : callAt.call(chain, block, to, data))
    }
    const report = { campaigns: 1, claims: KNOWN, uncountedCampaigns: 0, differences: 0 }
    expect(await proven.proof.prove({ share: 1 })).toMatchObject(report)
  },
)

test('a core that was deployed after the first block has lost what is not stored of it', async () => {
  const chain = aChain()
  chain.mine([[creation], claims(1)])
  mineEmpty(chain, 4)
  const { callAt } = chain
  chain.callAt = (block, to, data) =>
    block.number <= chain.startBlock - 1 ? '0x' : callAt.call(chain, block, to, data)
  await using node = await startScriptedNode(chain)
  await using database = await createTestDatabase()
  const giveBack = leaveOut(node, ({ blockNumber }) => blockNumber === chain.startBlock)
  await using proven = await openProven(database.url, [node.url], chain.startBlock)
  await proven.settle()
  giveBack()
  expect(await proven.proof.prove({ share: 1 })).toMatchObject({ campaigns: 2, claims: 2 * KNOWN, differences: 0 })
  expect(proven.reports[0]).toMatchObject({ differences: 1, differing: [{ counter: 'getBoostCount', onChain: 2n }] })
})

test.each([
  ['an error', { code: -32_000, message: 'missing trie node' }],
  ['an error in words of its own', { code: -32_000, message: 'computer says no' }],
  ['nothing, as of addresses without a contract', undefined],
])(
  'a node without the state of the final block that returns %s proves nothing, and nothing differs',
  async (_, error) => {
    await using database = await createTestDatabase()
    const chain = aChain()
    mineEmpty(chain, 4)
    const callAt = chain.callAt.bind(chain)
    await using node = await startScriptedNode(chain)
    await using proven = await openProven(database.url, [node.url], chain.startBlock)
    await proven.settle()
    const { finalized } = chain
    const loseStates = () => {
      const upTo = chain.finalized
      chain.callAt = (block, to, data) =>
        block.number > upTo ? callAt(block, to, data) : error === undefined ? '0x' : null
      Object.assign(chain, { revertsAs: error })
    }
    loseStates()
    await expect(proven.proof.prove({ share: 1 })).rejects.toSatisfy(isUnavailable)
    const nothing = { campaigns: null, claims: null, uncountedCampaigns: null, uncountedClaims: null }
    expect(await stateOf(database)).toEqual({ ...nothing, block: null, differences: 0 })
    Object.assign(chain, { callAt, revertsAs: undefined })
    expect(await proven.proof.prove({ share: 1 })).toMatchObject({ block: finalized, claims: KNOWN, differences: 0 })
    chain.mine([[creation], claims(1)])
    mineEmpty(chain, 4)
    await proven.settle()
    loseStates()
    await expect(proven.proof.prove({ share: 1 })).rejects.toSatisfy(isUnavailable)
    // What was proven before stays, as of its block.
    expect(await stateOf(database)).toMatchObject({ block: finalized, claims: KNOWN, differences: 0 })
    expect(proven.readings).toEqual([])
  },
)

test('contracts without a counter are told by their number, and are no difference', async () => {
  await using database = await createTestDatabase()
  const chain = aChain()
  mineEmpty(chain, 4)
  const callAt = chain.callAt.bind(chain)
  // getBoostCount(), and claims() of one incentive.
  const [first] = chain.facts().figures[0]?.incentives ?? []
  chain.callAt = (block, to, data) =>
    data === '0x5edb9eb0' || (to === first?.contract && data === '0xdcc59b6f') ? null : callAt(block, to, data)
  await using node = await startScriptedNode(chain)
  await using proven = await openProven(database.url, [node.url], chain.startBlock)
  await proven.settle()
  expect(await proven.proof.prove({ share: 1 })).toMatchObject({
    ...{ campaigns: 0, uncountedCampaigns: 1, claims: KNOWN - 1, uncountedClaims: 1, differences: 0 },
  })
})

test('a campaign that the database refuses is counted, and its claims are not', async () => {
  await using database = await createTestDatabase()
  const chain = aChain()
  await using node = await startScriptedNode(chain)
  await using proven = await openProven(database.url, [node.url], chain.startBlock)
  await proven.settle()
  await database.query(`alter table campaigns add constraint refused check (id <> '${idOf(1)}') not valid`)
  chain.mine([[creation], claims(1)])
  chain.mine([[creation], claims(2)])
  mineEmpty(chain, 4)
  await proven.settle()
  const leftOut = () => database.query('select campaign_id from left_out_campaigns')
  expect(await leftOut()).toEqual([{ campaign_id: idOf(1) }])
  expect(await proven.proof.prove({ share: 1 })).toMatchObject({ campaigns: 3, claims: 2 * KNOWN, differences: 0 })
  await database.query('alter table campaigns drop constraint refused')
  mineEmpty(chain, 1)
  await proven.settle()
  expect(await leftOut()).toEqual([])
  expect(await proven.proof.prove({ share: 0 })).toMatchObject({ claims: 3 * KNOWN, differences: 0 })
  expect(proven.readings).toEqual([])
})

test('what has changed is compared first, then what was compared longest ago, and no more than the limit', async () => {
  await using database = await createTestDatabase()
  const chain = aChain()
  mineEmpty(chain, 4)
  await using node = await startScriptedNode(chain)
  await using proven = await openProven(database.url, [node.url], chain.startBlock)
  await proven.settle()
  const compared = () =>
    database.query(
      'select counter, position::integer from compared_counters order by compared_at desc, counter, position limit 3',
    )
  const counters = () =>
    node.asked
      .splice(0)
      .filter(
        ({ method, params: [call] }) =>
          method === 'eth_call' && /^0x(5edb9eb0|dcc59b6f|d54ad2a1)$/.test(String(Object(call).data)),
      ).length
  node.asked.length = 0
  await proven.proof.prove({ share: 0 })
  // One of the core, one of each known incentive, and one of each that counts amounts.
  expect(counters()).toBe(12)
  await proven.proof.prove({ share: 0 })
  expect(counters()).toBe(0)
  chain.mine([[claim(0), claim(2)]])
  mineEmpty(chain, 3)
  await proven.settle()
  counters()
  await proven.proof.prove({ share: 0, limit: 2 })
  expect(counters()).toBe(2)
  await proven.proof.prove({ share: 0, limit: 2 })
  expect(await compared()).toMatchObject([{ counter: 'totalClaimed', position: 2 }, {}, {}])
  await database.query("update compared_counters set compared_at = now() - interval '1 day' where position = 6")
  await proven.proof.prove({ share: 0.05, limit: 3 })
  expect((await compared())[0]).toEqual({ counter: 'claims', position: 6 })
})

test('after blocks are read again, only what differed is compared again', async () => {
  await using database = await createTestDatabase()
  const chain = aChain()
  mineEmpty(chain, 4)
  await using node = await startScriptedNode(chain)
  await using other = await startScriptedNode(chain)
  await using proven = await openProven(database.url, [node.url, other.url], chain.startBlock)
  await proven.settle()
  expect(await proven.proof.prove({ share: 1 })).toMatchObject({ differences: 0 })
  let left = 1
  const giveBack = leaveOut(node, (log) => isClaim(log) && log.blockNumber > 102 && left-- > 0)
  chain.mine([claims(), claims()])
  mineEmpty(chain, 4)
  await proven.settle()
  giveBack()
  await database.query("update compared_counters set compared_at = now() - interval '1 day' where position = 0")
  proven.reports.length = 0
  expect(await proven.proof.prove({ share: 0, limit: 1 })).toMatchObject({ differences: 0, differing: [] })
  expect(proven.readings).toMatchObject([{ claims: 1 }])
  const compared = await database.query(
    'select counter from compared_counters where block_number = (select max(block_number) from compared_counters)',
  )
  expect(compared).toHaveLength(1)
})

test('a campaign of unknown form, and its claims, are read again once a newer version knows the form', async () => {
  await using database = await createTestDatabase()
  const [chain, known] = [false, true].map((isReadable) => {
    const one = aChain()
    one.mine([[{ ...creation, isReadable: false }], [{ ...creation, isReadable }]])
    one.mine([claims(1), claims(2)])
    one.mine([claims(1)])
    mineEmpty(one, 4)
    return one
  }) as [SimulatedChain, SimulatedChain]
  await using node = await startScriptedNode(chain)
  await using knownNode = await startScriptedNode(known)
  const unknown = () => database.query('select campaign_id as id, kind from unknown_components where position = -1')
  {
    await using proven = await openProven(database.url, [node.url], chain.startBlock)
    await proven.settle()
    expect(await proven.proof.prove({ share: 1 })).toMatchObject({ campaigns: 3, claims: KNOWN, differences: 0 })
    expect(await unknown()).toEqual([1, 2].map((nth) => ({ id: idOf(nth), kind: 'campaign' })))
  }
  {
    await using proven = await openProven(database.url, [node.url], chain.startBlock)
    expect(await proven.proof.prove({ share: 1 })).toMatchObject({ campaigns: 3, claims: KNOWN, differences: 0 })
    expect(proven.readings).toEqual([])
  }
  await using proven = await openProven(database.url, [knownNode.url], chain.startBlock)
  expect(await proven.proof.prove({ share: 0 })).toMatchObject({ campaigns: 3, claims: 2 * KNOWN, differences: 0 })
  expect(await unknown()).toEqual([{ id: idOf(1), kind: 'campaign' }])
  const counts = await database.query(
    `select id, count(*)::integer as claims from claims join campaigns on key = campaign_key group by id order by id`,
  )
  expect(counts).toEqual([0, 2].map((nth) => ({ id: idOf(nth), claims: KNOWN })))
  expect(proven.readings.splice(0)).toMatchObject([
    { campaigns: 1, claims: 0 },
    { campaigns: 0, claims: KNOWN },
  ])
  // Once.
  expect(await proven.proof.prove({ share: 0 })).toMatchObject({ differences: 0 })
  expect(proven.readings).toEqual([])
})

test('where the only node leaves out logs of a contract the difference stays told, until it has them', async () => {
  await using database = await createTestDatabase()
  const chain = aChain()
  mineEmpty(chain, 4)
  await using node = await startScriptedNode(chain)
  const variable = kinds.indexOf('variable')
  const [contract] = chain
    .facts()
    .figures.flatMap(({ incentives }) =>
      incentives.filter(({ position }) => position === variable).map((one) => one.contract),
    )
  const giveBack = leaveOut(
    node,
    ({ address, topics }) => address === contract && topics[0]?.startsWith('0x9ad2e7a4') === true,
  )
  await using proven = await openProven(database.url, [node.url], chain.startBlock)
  await proven.settle()
  const difference = {
    contract,
    counter: 'totalClaimed',
    campaignId: idOf(0),
    incentiveIndex: variable,
    onChain: 1234n,
    stored: 0n,
  }
  const report = await proven.proof.prove({ share: 1 })
  expect(report).toMatchObject({ differences: 1, claims: KNOWN, differing: [difference] })
  expect(proven.readings).toMatchObject([{ endpoint: 1, campaigns: 0, claims: 0 }])
  expect(await stateOf(database)).toMatchObject({ differences: 1 })
  giveBack()
  expect(await proven.proof.prove({ share: 0, limit: 1 })).toMatchObject({ differences: 0 })
  expect(proven.readings[1]).toMatchObject({ endpoint: 1, campaigns: 0, claims: 1 })
})

test('campaigns of managers are counted from 1, and their amounts proven: what a node left out is read again', async () => {
  await using database = await createTestDatabase()
  const chain = new SimulatedChain(2)
  const create = (kind: 'first' | 'fixed' | 'open'): Operation => ({
    ...{ type: 'timed create', salt: 0, kind, amount: 9000, isReadable: true },
  })
  const deed = (type: 'timed root' | 'timed claim', campaign: number, salt: number): Operation => ({
    ...{ type, campaign, amount: 70, salt },
  })
  chain.mine([[create('first')], [create('fixed')], [deed('timed root', 1, 1)], [deed('timed claim', 1, 1)]])
  chain.mine([[create('open')], [deed('timed claim', 0, 2)]])
  mineEmpty(chain, 2)
  await using node = await startScriptedNode(chain)
  await using proven = await openProven(database.url, [node.url], chain.startBlock)
  const restore = leaveOut(
    node,
    ({ topics: [topic], logIndex }) => topic === MANAGER_CLAIMED || (topic === MANAGER_CREATED && logIndex === 0),
  )
  await proven.settle()
  expect(await database.query('select id from campaigns')).toHaveLength(2)
  restore()
  const report = await proven.proof.prove({ share: 1 })
  // Their contracts count no claims: equal amounts confirm these.
  expect(report).toMatchObject({ campaigns: 3, claims: 2, differences: 0, uncountedCampaigns: 0, uncountedClaims: 0 })
  expect(await database.query('select id from campaigns')).toHaveLength(3)
  expect(await database.query('select amount::text from claims')).toEqual([{ amount: '70' }, { amount: '70' }])
  expect(await proven.proof.prove({ share: 1 })).toMatchObject({ differences: 0, differing: [] })
  // totalClaimed() of all of them.
  const callAt = chain.callAt.bind(chain)
  chain.callAt = (block, to, data) => (data === '0xd54ad2a1' ? null : callAt(block, to, data))
  expect(await proven.proof.prove({ share: 1 })).toMatchObject({ claims: 0, uncountedClaims: 2, differences: 0 })
})

const MANAGER_CLAIMED = '0xd9cb1e2714d65a111c0f20f060176ad657496bd47a3de04ec7c3d4ca232112ac'
const MANAGER_CREATED = '0x6ab5cc4de23c7e11ae0b117c2bda0b7e5c4c281706a98f16593e5d68fa511e14'

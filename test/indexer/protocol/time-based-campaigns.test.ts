import { describe, expect, test } from 'vitest'
import { createFollowed } from '../followed.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'
import { SimulatedChain } from '../simulation/simulated-chain.ts'
import { type Operation, simulatedChain, simulatedTokens } from '../simulation/simulated-protocol.ts'
import { firstManager, manager, type TimedDeed } from '../simulation/simulated-time-based.ts'
import { countless, figuresIn } from '../stored-amounts.ts'

const DAY = 86_400

/** Follows a chain on which time-based campaigns are used, block by block. */
async function followTimed() {
  const chain = new SimulatedChain(2)
  const node = await startScriptedNode(chain)
  const { store, settle } = createFollowed([node.url], chain.startBlock, { chain: simulatedChain })
  const undecoded: string[] = []
  /** Looks, and compares all with what was done. */
  async function look() {
    const steps = await settle()
    for (const step of steps) if ('undecoded' in step) undecoded.push(...step.undecoded.map(({ address }) => address))
    const { campaigns, claims } = store.facts()
    const expected = chain.facts()
    expect(figuresIn({ campaigns }, store.claimFees())).toEqual(countless(expected.figures))
    expect(claims).toEqual(expected.claims)
    return steps
  }
  return {
    chain,
    look,
    /** The contracts of logs that do not decode. */
    undecoded,
    /** Each in a block of its own. */
    async each(...deeds: Operation[]) {
      for (const deed of deeds) {
        chain.mine([[deed]])
        await look()
      }
    },
    records: () => store.facts().campaigns.map(({ record }) => record),
    incentives: () => store.facts().campaigns.flatMap(({ record }) => record.incentives),
    claims: () => store.facts().claims,
    tokens: () => [...store.tokens.keys()],
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

const creation = (kind: 'first' | 'fixed' | 'open', isReadable = true): TimedDeed => ({
  ...{ type: 'timed create', salt: 0, kind, amount: 10_000, isReadable },
})
const claim = (amount: number, salt = 0): TimedDeed => ({ type: 'timed claim', campaign: 0, amount, salt })
const root = (amount: number, salt = 0): TimedDeed => ({ type: 'timed root', campaign: 0, amount, salt })
const withdrawal = (amount: number, isDirect: boolean): TimedDeed => ({
  ...{ type: 'timed withdrawal', campaign: 0, amount, isDirect },
})
const topUp = (amount: number, indexed: number): TimedDeed => ({
  ...{ type: 'timed top-up', campaign: 0, amount, indexed },
})
const only = (type: 'timed end' | 'timed finality' | 'timed noise'): TimedDeed => ({ type, campaign: 0 })

test('a campaign is read in both layouts of its creation, of a fixed end and open-ended', async () => {
  await using followed = await followTimed()
  await followed.each(creation('first'), creation('fixed'), creation('open'))
  const [created, , open] = followed.records()
  const { startBlock } = followed.chain
  expect([created?.id, followed.records()[1]?.id, open?.id]).toEqual(
    [`${firstManager}:1`, `${manager}:1`]
      .sort()
      .map((id) => `84532:${id}`)
      .concat(`84532:${manager}:2`),
  )
  const first = followed.records().find(({ validator }) => validator === firstManager)
  expect(first).toMatchObject({
    ...{ campaignIndex: '1', validator: firstManager, maxParticipants: '0', maxClaimsPerClaimant: 'unlimited' },
    ...{ actionSteps: null, actionClaimant: null, allowList: null, protocolFee: '0' },
    createdAtBlockchainNumbers: { 84532: String(startBlock) },
    incentives: [{ type: 'TimeBasedIncentive', limit: '10000', isFinal: false, openEnded: false }],
  })
  expect(first?.incentives[0]).toHaveProperty('root', `0x${'0'.repeat(64)}`)
  expect(first?.incentives[0]).not.toHaveProperty('emissionRate')
  expect(open?.incentives[0]).toMatchObject({ openEnded: true, emissionRate: String((10_000n * 10n ** 12n) / 86_400n) })
  expect(followed.tokens()).toEqual([simulatedTokens.asset])
})

test('of a first campaign that does not tell its claim window nothing is shown, and its claims count as orphans', async () => {
  await using followed = await followTimed()
  followed.chain.mine([[creation('first', false)], [claim(5)]])
  const steps = await followed.look()
  expect(followed.records()).toEqual([])
  const found = steps.find((step) => step.type === 'new-blocks')
  expect(found).toMatchObject({
    orphanClaims: 1,
    unreadable: [{ kind: 'campaign', campaignId: `84532:${firstManager}:1` }],
  })
})

test('a claim that campaign and manager both tell is one, and a user may claim again', async () => {
  await using followed = await followTimed()
  await followed.each(creation('fixed'), root(900), claim(100), claim(50))
  expect(followed.claims().map(({ amount }) => amount)).toEqual(['100', '50'])
  expect(followed.incentives()[0]).toMatchObject({ totalAmountClaimed: '150', remainingBalance: '9850' })
})

describe('what is withdrawn is counted once', () => {
  test.each([
    { way: 'by the manager', kind: 'fixed' as const, isDirect: false },
    { way: 'by a first manager', kind: 'first' as const, isDirect: false },
    { way: 'at the campaign itself', kind: 'fixed' as const, isDirect: true },
  ])('$way', async ({ kind, isDirect }) => {
    await using followed = await followTimed()
    await followed.each(creation(kind), withdrawal(300, isDirect))
    expect(followed.incentives()[0]).toMatchObject({ limit: '10000', remainingBalance: '9700' })
    followed.chain.mine([[withdrawal(40, isDirect), withdrawal(40, !isDirect)]])
    await followed.look()
    expect(followed.incentives()[0]).toMatchObject({ remainingBalance: '9620' })
  })
})

test('more is never left than nothing, and less than nothing never', async () => {
  await using followed = await followTimed()
  await followed.each(creation('fixed'), claim(9000), withdrawal(3000, true))
  expect(followed.incentives()[0]).toMatchObject({ remainingBalance: '0' })
})

test('what is committed may be lowered, a root may come after the last, and the last before the end', async () => {
  await using followed = await followTimed()
  await followed.each(creation('fixed'), root(900), root(400, 1), only('timed finality'))
  expect(followed.incentives()[0]).toMatchObject({ committed: '400', isFinal: true })
  const [before] = followed.incentives()
  await followed.each(root(500, 2))
  expect(followed.incentives()[0]).toMatchObject({ committed: '500', isFinal: true })
  expect(followed.incentives()[0]?.root).not.toBe(before?.root)
})

test('a cancellation moves the end and the deadline of claims, also to before the start', async () => {
  await using followed = await followTimed()
  await followed.each(creation('fixed'))
  const { timestamp } = followed.chain.head
  const deadlineOf = (end: number) => new Date((end + 60 * DAY) * 1000).toISOString()
  expect(followed.incentives()[0]?.claimUntil).toBe(deadlineOf(timestamp + 30 * DAY))
  await followed.each(only('timed end'))
  const [cancelled] = followed.records()
  expect(cancelled?.incentives[0]?.claimUntil).toBe(deadlineOf(followed.chain.head.timestamp))
  expect(String(cancelled?.endTime) < String(cancelled?.startTime)).toBe(true)
})

test.each([0, 1, 2])(
  'a top-up raises the limit, not the end or the fee, with %i of its fields indexed',
  async (indexed) => {
    await using followed = await followTimed()
    await followed.each(creation('open'), topUp(500, indexed))
    const [before] = followed.records()
    await followed.each(topUp(70, indexed))
    const [after] = followed.records()
    expect(after?.incentives[0]).toMatchObject({ limit: '10570', claimUntil: before?.incentives[0]?.claimUntil })
    expect(after).toMatchObject({ endTime: before?.endTime, protocolFee: '500' })
    expect(followed.undecoded).toEqual([])
  },
)

test('the fee is the one that was taken at the creation', async () => {
  await using followed = await followTimed()
  await followed.each(creation('fixed'), creation('fixed'))
  expect(followed.records().map(({ protocolFee }) => protocolFee)).toEqual(['500', '0'])
})

test('logs that do not decode are counted and stop nothing, and what others emit is neither', async () => {
  await using followed = await followTimed()
  followed.chain.mine([[creation('fixed')], [root(10)], [only('timed noise')], [claim(7)]])
  await followed.look()
  expect(followed.undecoded).toEqual([manager])
  expect(followed.incentives()[0]).toMatchObject({ committed: '10', totalAmountClaimed: '7', remainingBalance: '9993' })
})

describe('after a reorganisation there is what the other branch has', () => {
  const lives: { what: string; before: TimedDeed[]; withdrawn: TimedDeed }[] = [
    { what: 'a creation', before: [], withdrawn: creation('fixed') },
    { what: 'a first creation', before: [], withdrawn: creation('first') },
    { what: 'a root', before: [creation('fixed'), root(100)], withdrawn: root(200, 1) },
    { what: 'a claim', before: [creation('fixed'), claim(5, 1)], withdrawn: claim(9, 2) },
    { what: 'a top-up', before: [creation('open')], withdrawn: topUp(400, 1) },
    { what: 'a cancellation', before: [creation('fixed')], withdrawn: only('timed end') },
    { what: 'finality', before: [creation('fixed')], withdrawn: only('timed finality') },
    { what: 'a withdrawal', before: [creation('fixed'), withdrawal(10, false)], withdrawn: withdrawal(300, false) },
    { what: 'a withdrawal at the campaign', before: [creation('first')], withdrawn: withdrawal(300, true) },
  ]
  test.each(lives)('without $what, and with it in another block', async ({ before, withdrawn }) => {
    await using followed = await followTimed()
    await followed.each(...before)
    const facts = () => ({ records: followed.records(), claims: followed.claims() })
    const without = facts()
    await followed.each(withdrawn)
    expect(facts()).not.toEqual(without)
    const again = followed.chain.withdraw(1)
    followed.chain.mine([])
    await followed.look()
    expect(facts()).toEqual(without)
    followed.chain.mine([], again)
    await followed.look()
    expect(facts()).not.toEqual(without)
  })
})

test('a life of each kind is followed block by block, and read at once it is the same', async () => {
  const lives = (['first', 'fixed', 'open'] as const).map((kind) => [
    ...[creation(kind), root(2000), claim(100, 1), claim(200, 2), topUp(300, 2), root(4000, 1), claim(900, 1)],
    ...[withdrawal(50, true), only('timed noise'), only('timed end'), only('timed finality'), withdrawal(60, false)],
  ])
  for (const life of lives) {
    await using followed = await followTimed()
    await followed.each(...life)
    const node = await startScriptedNode(followed.chain)
    const { store, settle } = createFollowed([node.url], followed.chain.startBlock, { chain: simulatedChain })
    await settle()
    expect(store.facts().campaigns.map(({ record }) => record)).toEqual(followed.records())
    expect(store.facts().claims).toEqual(followed.claims())
    await node[Symbol.asyncDispose]()
  }
})

import fc from 'fast-check'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { incentiveSetUps } from '../../../src/indexer/protocol/boost-core/incentives/incentives.ts'
import { createTestDatabase } from '../../setup/database.ts'
import { repeated } from '../../setup/repetitions.ts'
import { createFollowed } from '../followed.ts'
import { openIndexed } from '../indexed.ts'
import { playedRecording } from '../recording/played-recording.ts'
import { recordedCampaigns, recordedClaims } from '../recording/recorded-facts.ts'
import { recording } from '../recording/recording.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

const END = recording.blocks.at(-1)?.number ?? 0
const [strange] = recordedCampaigns
if (strange === undefined) throw new Error('campaigns were recorded')
const contract = strange.incentives[0]?.contract ?? '0x'
const campaignId = strange.record.id

/** The recorded chain, with an incentive that has not said what it is. */
function withSilentSetUp() {
  const chain = playedRecording(END - 20)
  const setUps = incentiveSetUps.map(([topic]) => topic)
  for (const block of chain.blocks) {
    block.logs = block.logs.filter(
      ({ address, topics: [topic = '0x'] }) => address !== contract || !setUps.includes(topic),
    )
  }
  return chain
}

const others = {
  campaigns: recordedCampaigns.slice(1),
  claims: recordedClaims.filter((claim) => claim.campaignId !== campaignId),
}

/** What was found of all other campaigns, and what of this one is unknown. */
function readFacts(store: ReturnType<typeof createFollowed>['store']) {
  const { campaigns, claims } = store.facts()
  return {
    others: {
      campaigns: campaigns.filter(({ record }) => record.id !== campaignId),
      claims: claims.filter((claim) => claim.campaignId !== campaignId),
    },
    unknown: campaigns.find(({ record }) => record.id === campaignId)?.unknown,
  }
}

const unknown = [{ kind: 'incentive', campaignId, contract, position: 0 }]

describe('an incentive is unknown, and its chain goes on, where its reads', () => {
  test.each([
    ['EVM error: InvalidFEOpcode', { code: -32000, message: 'EVM error: InvalidFEOpcode' }],
    ['write protection', { code: -32000, message: 'write protection' }],
    ['VM execution error.', { code: -32015, message: 'VM execution error.' }],
    ['words that no client has yet', { code: -32603, message: 'the machine has stopped' }],
  ])('fail with %s', async (_, revertsAs) => {
    const chain = withSilentSetUp()
    const { callAt } = chain
    chain.callAt = (block, to, data) => (to === contract ? null : callAt(block, to, data))
    await using node = await startScriptedNode({ ...chain, revertsAs })
    const { store, settle } = createFollowed([node.url], recording.startBlock)
    await settle()
    expect(readFacts(store)).toEqual({ others, unknown })
  })

  test.each(['have their connection cut', 'are answered with status 502'])('%s', async (how) => {
    await using node = await startScriptedNode(withSilentSetUp())
    node.interfere = (requests, response) => {
      if (!requests.some(({ params: [call] }) => Object(call).to === contract)) return false
      if (how.includes('cut')) response.destroy()
      else response.writeHead(502).end()
      return true
    }
    const { store, settle } = createFollowed([node.url], recording.startBlock, { settings: { stallTimeoutMs: 20_000 } })
    await settle()
    expect(readFacts(store)).toEqual({ others, unknown })
  })

  test('are never answered', async () => {
    await using node = await startScriptedNode(withSilentSetUp())
    node.takes = ({ method, params: [call] }) => (method === 'eth_call' && Object(call).to === contract ? 60_000 : 0)
    const { store, settle } = createFollowed([node.url], recording.startBlock, {
      settings: { timeoutMs: 100, stallTimeoutMs: 20_000 },
    })
    await settle()
    expect(readFacts(store)).toEqual({ others, unknown })
  })
})

test('an incentive that has said what it is, and does not say what is left, stays, has nothing left and is named', async () => {
  const chain = playedRecording(END - 20)
  const { callAt } = chain
  chain.callAt = (block, to, data) => (to === contract ? null : callAt(block, to, data))
  await using node = await startScriptedNode(chain)
  const { store, settle } = createFollowed([node.url], recording.startBlock)
  await settle()
  expect(readFacts(store)).toEqual({ others, unknown })
  const [campaign] = store.facts().campaigns
  expect(campaign?.record.incentives).toMatchObject([{ type: strange.record.incentives[0]?.type, limit: '0' }])
})

test('an incentive whose reads take long is read', async () => {
  await using node = await startScriptedNode(withSilentSetUp())
  node.takes = ({ method, params: [call] }) => (method === 'eth_call' && Object(call).to === contract ? 100 : 0)
  const { store, settle } = createFollowed([node.url], recording.startBlock, {
    settings: { timeoutMs: 400, stallTimeoutMs: 20_000 },
  })
  await settle()
  expect(readFacts(store)).toEqual({ others, unknown: [] })
})

test('an endpoint that answers no calls is no reason to take incentives for unknown', async () => {
  const chain = playedRecording(END - 20)
  await using refusing = await startScriptedNode({
    ...chain,
    callAt: () => null,
    revertsAs: { code: -32603, message: 'not with this key' },
  })
  await using node = await startScriptedNode(chain)
  const { store, settle } = createFollowed([refusing.url, node.url], recording.startBlock)
  await settle()
  expect(store.facts()).toEqual({ campaigns: recordedCampaigns, claims: recordedClaims })
})

/** What a contract may answer: anything, or something near to what it should. */
const anyResponse = fc.oneof(
  fc.constant(null),
  fc.constant<Hex>(`0x${'ff'.repeat(32)}`),
  fc.constant<Hex>(`0x${'00'.repeat(32)}`),
  fc.constant<Hex>(`0x${'ff'.repeat(128)}`),
  fc.constant<Hex>(`0x${'ff'.repeat(160)}`),
  fc.constant<Hex>(`0x${'20'.padStart(64, '0')}${'ff'.repeat(32)}`),
  fc.uint8Array({ minLength: 0, maxLength: 200 }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`),
  fc.bigInt({ min: 0n, max: 300n }).map((value): Hex => `0x${value.toString(16).padStart(64, '0')}`),
  fc.constantFrom(128, 160).map((length): Hex => `0x${'00'.repeat(31)}01${'00'.repeat(length - 32)}`),
)

const one: Hex = `0x${'1'.padStart(64, '0')}`
/** In the order in which an incentive is asked: one of criteria, whose numbers are larger than their types. */
const withWrongCriteria = [
  `0x${'ff'.repeat(128)}` as const,
  ...Array.from({ length: 7 }, () => null),
  ...[one, one, null, null, one, one, one],
]

test('whatever an incentive answers, all other campaigns are stored', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(playedRecording(END - 20))
  await fc.assert(
    fc.asyncProperty(fc.array(anyResponse, { minLength: 1, maxLength: 17 }), async (responses) => {
      const chain = withSilentSetUp()
      const { callAt } = chain
      const asked: Hex[] = []
      chain.callAt = (block, to, data) => {
        if (to !== contract) return callAt(block, to, data)
        if (!asked.includes(data)) asked.push(data)
        return responses[asked.indexOf(data) % responses.length] ?? null
      }
      node.chain = chain
      await database.query('truncate followed_chains, campaigns, claims cascade')
      await using indexed = await openIndexed(database.url, node.url)
      await indexed.settle()
      const [stored] = await database.query('select count(*)::integer as campaigns from campaigns')
      expect(stored).toEqual({ campaigns: recordedCampaigns.length })
    }),
    { numRuns: repeated(6, 12), examples: [[withWrongCriteria]] },
  )
})

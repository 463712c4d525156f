import { expect, test } from 'vitest'
import type { ListEligibilityResponse } from '../../../src/features/eligibility/eligibility-schemas.ts'
import { ContractVersion } from '../../../src/indexer/sync/contract-version.ts'
import { withoutAdded } from '../../../src/indexer/sync/joining.ts'
import type { FollowedState, Following } from '../../../src/indexer/sync/sync-updates.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { aClaimProof } from '../../setup/records.ts'
import { borrowTestApp } from '../../setup/test-app.ts'
import { createFollowed } from '../followed.ts'
import { openProven } from '../proof/proven-chain.ts'
import { addressOf } from '../simulation/encoded-logs.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'
import { SimulatedChain } from '../simulation/simulated-chain.ts'
import { simulatedChain, simulatedTokens } from '../simulation/simulated-protocol.ts'
import { manager, type TimedDeed } from '../simulation/simulated-time-based.ts'

const creation: TimedDeed = { type: 'timed create', salt: 0, kind: 'fixed', amount: 10_000, isReadable: true }
const deed = (type: 'timed root' | 'timed claim', amount: number, salt: number): TimedDeed => ({
  ...{ type, campaign: 0, amount, salt },
})

test('a followed campaign is listed, and claimed with proofs of its newest root, as the chain has it', async () => {
  await using api = await borrowTestApp()
  const chain = new SimulatedChain(2)
  await using node = await startScriptedNode(chain)
  await using indexed = await openProven(api.database.url, [node.url], chain.startBlock)
  const [id, user] = [`84532:${manager}:1`, addressOf('claimant', 1)]
  chain.mine([[creation]])
  await indexed.settle()
  api.setNow(new Date((chain.head.timestamp + 100) * 1000))
  // Its contract has no root yet, so it takes no proof.
  await api.save(aClaimProof({ id }, user, { cumulativeAmount: '600' }))
  expect(await claimable()).toMatchObject({ verdict: 'unknown', reasons: ['proof-outdated'] })
  chain.mine([[deed('timed root', 900, 1)]])
  await indexed.settle()

  const detail = async () => (await api.get(`/campaigns/${id}`)).json()
  expect(await detail()).toMatchObject({
    ...{ id, owner: addressOf('creator'), budget: addressOf('time-based budget') },
    ...{ validator: manager, protocolFee: '500', maxParticipants: '0', actionSteps: [] },
    incentives: [{ type: 'TimeBasedIncentive', asset: simulatedTokens.asset, limit: '10000', committed: '900' }],
  })
  const { incentives } = await detail()
  const proof = aClaimProof({ id }, user, { cumulativeAmount: '600', root: incentives[0].root })
  await api.save(proof)
  async function claimable() {
    const response = await api.get(`/eligibility?user=${user}&campaignId=${id}`)
    expect(response.statusCode, response.body).toBe(200)
    const { campaigns }: ListEligibilityResponse = response.json()
    const found = campaigns[0]?.incentives[0]
    const { verdict, rewardNow, transaction } = found ?? {}
    return { verdict, reasons: found?.reasons.map(({ code }) => code), rewardNow, to: transaction?.to }
  }
  expect(await claimable()).toEqual({ verdict: 'claimable', reasons: [], rewardNow: '600', to: manager })

  chain.mine([[deed('timed claim', 250, 1)]])
  await indexed.settle()
  expect(await claimable()).toEqual({ verdict: 'claimable', reasons: [], rewardNow: '350', to: manager })
  expect((await detail()).incentives).toMatchObject([
    { totalClaims: '1', claimedAmount: '250', totalAmountClaimed: '250', remainingBalance: '9750' },
  ])

  chain.mine([[deed('timed root', 950, 2)]])
  await indexed.settle()
  expect((await claimable()).reasons).toEqual(['proof-outdated'])
  chain.withdraw(1)
  chain.mine([[deed('timed claim', 350, 1)]])
  await indexed.settle()
  expect((await detail()).incentives).toMatchObject([{ totalClaims: '2', committed: '900' }])
  expect((await claimable()).reasons).toEqual(['already-claimed'])

  // It ends, and can be claimed for 60 days more.
  chain.mine([[{ type: 'timed end', campaign: 0 }]])
  await indexed.settle()
  const end = chain.head.timestamp
  expect([(await detail()).endTime, (await detail()).incentives[0].claimUntil]).toEqual(
    [end, end + 60 * 86_400].map((seconds) => new Date(seconds * 1000).toISOString()),
  )
  expect((await detail()).isActive).toBe(false)
  await api.save({ ...proof, cumulativeAmount: '700' })
  expect(await claimable()).toEqual({ verdict: 'claimable', reasons: [], rewardNow: '100', to: manager })
  api.setNow(new Date((end + 60 * 86_400) * 1000))
  expect((await claimable()).reasons).toEqual(['claim-window-closed'])
})

test('logs that do not decode are stored with their blocks, and withdrawn with them', async () => {
  await using database = await createTestDatabase()
  const chain = new SimulatedChain(3)
  await using node = await startScriptedNode(chain)
  const { startBlock } = chain
  await using indexed = await openProven(database.url, [node.url], startBlock)
  const stored = () => database.query('select contract, block_number::integer as block from undecoded_logs order by 2')
  const noise: TimedDeed = { type: 'timed noise', campaign: 0 }
  chain.mine([[creation], [noise]])
  for (let empty = 0; empty < 5; empty += 1) chain.mine([])
  await indexed.settle()
  expect(await stored()).toEqual([{ contract: manager, block: startBlock }])
  chain.mine([[noise]])
  await indexed.settle()
  expect(await stored()).toHaveLength(2)
  chain.withdraw(1)
  chain.mine([])
  chain.mine([[noise]])
  await indexed.settle()
  expect(await stored()).toEqual([startBlock, chain.head.number].map((block) => ({ contract: manager, block })))
})

test('the versions that managers and cores tell are read, each once, and not again soon', async () => {
  const chain = new SimulatedChain(3)
  await using node = await startScriptedNode(chain)
  const { client } = createFollowed([node.url], chain.startBlock, { chain: simulatedChain })
  const version = new ContractVersion(simulatedChain)
  // The core tells none.
  expect(await version.read(client, chain.head.hash)).toBe('1.0.0, 2.4.0')
  expect(await version.read(client, chain.head.hash)).toBeUndefined()
  const none = { ...simulatedChain, timeBasedManagers: new Set<`0x${string}`>() }
  expect(await new ContractVersion(none).read(client, chain.head.hash)).toBeNull()
})

test('a manager that is added to the chain file is read from its start, and then followed as if it had always been there', async () => {
  await using api = await borrowTestApp()
  await using fresh = await createTestDatabase()
  const { database } = api
  const chain = new SimulatedChain(3)
  await using node = await startScriptedNode(chain)
  const { startBlock } = chain
  const campaigns = async (of: Pick<TestDatabase, 'query'>) =>
    of.query(
      `select id, claim_count::integer as claims, incentives.definition from campaigns
      join incentives on campaign_key = campaigns.key order by id`,
    )
  chain.mine([[creation], [deed('timed root', 900, 1)], [deed('timed claim', 5, 1)]])
  for (let empty = 0; empty < 5; empty += 1) chain.mine([])
  {
    await using before = await openProven(database.url, [node.url], startBlock, { timeBasedManagers: new Set() })
    await before.settle()
    expect(await campaigns(database)).toEqual([])
  }
  const read = async (path: string) => (await api.get(path)).json()
  const { nextCursor } = await read('/changes')
  chain.mine([[deed('timed claim', 7, 2)]])
  await using grown = await openProven(database.url, [node.url], startBlock)
  await grown.settle()
  const { changes } = await read(`/changes?after=${nextCursor}`)
  const kinds = changes.map(({ kind }: { kind: string }) => kind)
  // What it brings is told as any other, and nothing has to be read anew.
  expect(kinds.filter((kind: string) => kind !== 'token.changed')).toEqual([
    'campaign.added',
    'claim.added',
    'claim.added',
  ])
  chain.mine([[deed('timed claim', 9, 3)]])
  await grown.settle()
  await using other = await openProven(fresh.url, [node.url], startBlock)
  await other.settle()
  expect(await campaigns(database)).toMatchObject([{ claims: 3 }])
  expect(await campaigns(database)).toEqual(await campaigns(fresh))
})

test('a manager that joins is not followed with the rest before all of it is read', () => {
  const [core] = simulatedChain.cores
  const joining = { joined: new Set([core]), startBlock: 1, readTo: 0, hash: null }
  const following = { chain: simulatedChain } as unknown as Following
  const { chain } = withoutAdded(following, { joining } as unknown as FollowedState)
  expect([[...chain.cores], [...chain.timeBasedManagers]]).toEqual([[core], []])
})

test('whatever happens to a campaign is told as a change of it, and what does not decode is not', async () => {
  await using api = await borrowTestApp()
  const chain = new SimulatedChain(2)
  await using node = await startScriptedNode(chain)
  await using indexed = await openProven(api.database.url, [node.url], chain.startBlock)
  chain.mine([[{ ...creation, kind: 'open' }]])
  await indexed.settle()
  const read = async (path: string) => (await api.get(path)).json()
  const withdrawal: TimedDeed = { type: 'timed withdrawal', campaign: 0, amount: 50, isDirect: true }
  const life: [deed: TimedDeed, kinds: string][] = [
    [deed('timed root', 900, 1), 'campaign.changed'],
    [deed('timed claim', 250, 1), 'campaign.changed claim.added'],
    [{ type: 'timed top-up', campaign: 0, amount: 300, indexed: 1 }, 'campaign.changed'],
    [withdrawal, 'campaign.changed'],
    [{ ...withdrawal, isDirect: false }, 'campaign.changed'],
    [{ type: 'timed noise', campaign: 0 }, ''],
    [{ type: 'timed finality', campaign: 0 }, 'campaign.changed'],
    [{ type: 'timed end', campaign: 0 }, 'campaign.changed'],
  ]
  for (const [done, kinds] of life) {
    const { nextCursor } = await read('/changes')
    chain.mine([[done]])
    await indexed.settle()
    const { changes } = await read(`/changes?after=${nextCursor}`)
    expect(changes.map(({ kind }: { kind: string }) => kind).join(' '), done.type).toBe(kinds)
  }
})

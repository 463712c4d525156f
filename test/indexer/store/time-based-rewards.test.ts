import { expect, test } from 'vitest'
import type { ListEligibilityResponse } from '../../../src/features/eligibility/eligibility-schemas.ts'
import { aClaimProof } from '../../setup/records.ts'
import { borrowTestApp } from '../../setup/test-app.ts'
import { openProven } from '../proof/proven-chain.ts'
import { addressOf } from '../simulation/encoded-logs.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'
import { SimulatedChain } from '../simulation/simulated-chain.ts'
import { simulatedTokens } from '../simulation/simulated-protocol.ts'
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
  chain.mine([[creation]])
  chain.mine([[deed('timed root', 900, 1)]])
  await indexed.settle()
  api.setNow(new Date((chain.head.timestamp + 100) * 1000))

  const [id, user] = [`84532:${manager}:1`, addressOf('claimant', 1)]
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

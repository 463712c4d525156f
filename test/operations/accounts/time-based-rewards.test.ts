import { parseAbi } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ListEligibilityResponse } from '../../../src/features/eligibility/eligibility-schemas.ts'
import type { ListRewardsResponse } from '../../../src/features/rewards/reward-schemas.ts'
import { importRecords } from '../../../src/import/importer.ts'
import { toRecordSource } from '../../../src/import/sources.ts'
import {
  aCampaign,
  aClaim,
  aClaimProof,
  aHash,
  anAddress,
  aTimeBasedIncentive,
  aToken,
  inUpperCase,
  toRemoval,
} from '../../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

const asset = anAddress('earned over time')
const root = aHash('root')

let api: BorrowedTestApp
beforeAll(async () => {
  api = await borrowTestApp()
  await api.save(aToken({ address: asset, decimals: 2, priceUsd: '3' }))
  api.setNow(new Date('2026-03-01T12:00:00Z'))
})
afterAll(() => api[Symbol.asyncDispose]())

const aProven = (parts: Record<string, unknown> = {}, campaign = {}) =>
  aCampaign({ incentives: [aTimeBasedIncentive(asset, { root, ...parts })], ...campaign })

async function incentiveOf(user: string, { id }: { id: string }) {
  const response = await api.get(`/eligibility?user=${user}&campaignId=${id}`)
  expect(response.statusCode, response.body).toBe(200)
  const { campaigns }: ListEligibilityResponse = response.json()
  return campaigns[0]?.incentives[0]
}

async function rewardsOf(user: string, query = ''): Promise<ListRewardsResponse> {
  const response = await api.get(`/users/${user}/rewards${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

test('a proof pays what it says in all, less what was claimed, as often as more is owed', async () => {
  const [user, campaign] = [anAddress('who earns'), aProven({}, { id: `8453:${anAddress('manager')}:7` })]
  await api.save(campaign)
  expect(await incentiveOf(user, campaign)).toEqual({
    ...{ incentiveIndex: 0, type: 'TimeBasedIncentive', verdict: 'admitted', reasons: [{ code: 'signature-missing' }] },
    ...{ claimUntil: '2100-03-01T00:00:00.000Z', budgetLeft: '1000' },
  })
  // As others may write it.
  const proof = aClaimProof(campaign, inUpperCase(user), {
    ...{ cumulativeAmount: '100', root: inUpperCase(root), proof: [aHash('left'), inUpperCase(aHash('right'))] },
  })
  await api.save(proof)
  const transaction = (cumulativeAmount: bigint) => ({
    to: anAddress('manager'),
    data: encodeFunctionData({
      abi: parseAbi(['function claim(uint256 campaignId, address user, uint256 cumulativeAmount, bytes32[] proof)']),
      args: [7n, user as '0x', cumulativeAmount, [aHash('left'), aHash('right')] as '0x'[]],
    }),
  })
  expect(transaction(1n).data).toMatch(/^0x2e7ba6ef/)
  const claimable = {
    ...{ verdict: 'claimable', reasons: [], rewardNow: '100', rewardNowUsd: '3' },
    ...{ claimUntil: '2100-03-01T00:00:00.000Z', budgetLeft: '1000', transaction: transaction(100n) },
  }
  expect(await incentiveOf(user, campaign)).toEqual({
    ...{ incentiveIndex: 0, type: 'TimeBasedIncentive', ...claimable },
  })
  const before = await rewardsOf(user, '?claimTransactions=true')
  expect(before.rewards).toMatchObject([{ ...claimable, claims: 0, claimedAmount: '0' }])
  expect(before.rewards[0]).not.toHaveProperty('signature')
  expect(before).toMatchObject({
    claimable: [{ asset, rewards: 1, amount: '100', amountUsd: '3' }],
    claimableUsd: '3',
    claimTransactions: [{ chainId: 8453, rewards: [{ campaignId: campaign.id, incentiveIndex: 0 }] }],
  })
  expect(before.claimTransactions?.[0]?.data).toContain(transaction(100n).data.slice(2))
  const claim = aClaim(campaign, { claimant: user, amount: '100', blockTimestamp: '1772000000' })
  await api.save(claim)
  const last = { txHash: claim.txHash, at: new Date(1_772_000_000_000).toISOString() }
  expect(await incentiveOf(user, campaign)).toEqual({
    ...{ incentiveIndex: 0, type: 'TimeBasedIncentive', verdict: 'blocked' },
    reasons: [{ code: 'already-claimed', ...last }],
  })
  await api.save({ ...proof, cumulativeAmount: '250' })
  expect(await incentiveOf(user, campaign)).toMatchObject({
    ...{ verdict: 'claimable', reasons: [], rewardNow: '150', budgetLeft: '900', transaction: transaction(250n) },
  })
  await api.save(aClaim(campaign, { claimant: user, amount: '150' }))
  const { rewards, totals, claimable: left } = await rewardsOf(user)
  expect(rewards).toMatchObject([{ claims: 2, claimedAmount: '250', verdict: 'blocked' }])
  expect(totals).toMatchObject([{ asset, claims: 2, claimedAmount: '250' }])
  expect(left).toEqual([])
  await importRecords(api.database.url, [toRecordSource('removals', [toRemoval(proof)])])
  expect((await incentiveOf(user, campaign))?.reasons).toEqual([{ code: 'signature-missing' }])
})

test('a proof of an earlier root is outdated; where no root is known nothing is judged', async () => {
  const [user, campaign] = [anAddress('who waits'), aProven({ root: aHash('next root') })]
  await api.save(campaign, aClaimProof(campaign, user))
  const outdated = { verdict: 'unknown', reasons: [{ code: 'proof-outdated' }] }
  expect(await incentiveOf(user, campaign)).toEqual({
    ...{ incentiveIndex: 0, type: 'TimeBasedIncentive', ...outdated },
    ...{ claimUntil: '2100-03-01T00:00:00.000Z', budgetLeft: '1000' },
  })
  expect((await rewardsOf(user, '?claimTransactions=true')).claimTransactions).toEqual([])
  await api.save(aClaimProof(campaign, user, { root: aHash('next root') }))
  expect(await incentiveOf(user, campaign)).toMatchObject({ verdict: 'claimable', rewardNow: '100' })
  const [incentive] = campaign.incentives
  await api.save({ ...campaign, incentives: [{ ...incentive, type: 'TimeBasedIncentive', root: aHash('third root') }] })
  expect(await incentiveOf(user, campaign)).toMatchObject(outdated)
  const untold = aProven({ root: undefined })
  await api.save(untold, aClaimProof(untold, user))
  expect(await incentiveOf(user, untold)).toMatchObject({ verdict: 'claimable', rewardNow: '100' })
})

test('claims go on after the end, until the deadline', async () => {
  const user = anAddress('who is late')
  const ended = { endTime: '2026-02-01T00:00:00Z' }
  const campaign = aProven({ claimUntil: '2026-03-01T12:00:01Z' }, ended)
  await api.save(campaign, aClaimProof(campaign, user))
  const { isActive, incentives } = (await api.get(`/campaigns/${campaign.id}`)).json()
  expect({ isActive, incentives }).toMatchObject({
    isActive: false,
    incentives: [{ claimUntil: '2026-03-01T12:00:01.000Z' }],
  })
  expect(await incentiveOf(user, campaign)).toMatchObject({
    ...{ verdict: 'claimable', reasons: [], claimUntil: '2026-03-01T12:00:01.000Z' },
  })
  api.setNow(new Date('2026-03-01T12:00:01Z'))
  expect(await incentiveOf(user, campaign)).toEqual({
    ...{ incentiveIndex: 0, type: 'TimeBasedIncentive', verdict: 'blocked' },
    reasons: [{ code: 'claim-window-closed', at: '2026-03-01T12:00:01.000Z' }],
  })
  expect((await rewardsOf(user)).claimable).toEqual([])
  api.setNow(new Date('2026-03-01T12:00:00Z'))
})

test('what is owed beyond what is left is refused, and what was withdrawn is not left', async () => {
  const user = anAddress('who is owed more')
  const campaign = aProven({ remainingBalance: '99' })
  await api.save(campaign, aClaimProof(campaign, user))
  expect((await incentiveOf(user, campaign))?.reasons).toEqual([{ code: 'reward-exceeds-budget', budgetLeft: '99' }])
  const spent = aProven({ remainingBalance: '0' })
  await api.save(spent, aClaimProof(spent, user))
  expect((await incentiveOf(user, spent))?.reasons).toEqual([{ code: 'incentive-spent' }])
})

test('what an open-ended one lasts follows from its rate and what it has committed', async () => {
  const open = { openEnded: true, emissionRate: '7000000000000', committed: '300' }
  const [campaign, fixed] = [aProven(open), aProven({ ...open, openEnded: false })]
  const unknown = aProven({ openEnded: true, emissionRate: '7000000000000' })
  await api.save(campaign, fixed, unknown)
  const response = await api.get(`/outlook?campaignId=${[campaign, fixed, unknown].map(({ id }) => id)}`)
  const { campaigns } = response.json()
  const secondsOf = ({ id }: { id: string }) =>
    campaigns.find((one: { id: string }) => one.id === id)?.incentives[0].secondsLeft
  expect([campaign, fixed, unknown].map(secondsOf)).toEqual(['100', undefined, undefined])
  expect(await incentiveOf(anAddress('anybody'), campaign)).toMatchObject({ exhaustsAt: '2026-03-01T12:01:40.000Z' })
})

test('trending counts what was paid out of what is left, and names no reward for one claim', async () => {
  const campaign = aProven({ limit: '1000', totalAmountClaimed: '100', remainingBalance: '700' })
  await api.save(
    campaign,
    aClaim(campaign, { amount: '100', blockTimestamp: String(Date.parse('2026-03-01T11:59:00Z') / 1000) }),
  )
  const user = anAddress('who looks')
  await api.save(aClaimProof(campaign, user))
  const { trendingCampaigns } = (
    await api.get(`/reward-kit/trending?owner=${campaign.owner}&tokenWhitelist=false&user=${user}`)
  ).json()
  const found = trendingCampaigns.find(({ id }: { id: string }) => id === campaign.id)
  expect(found).toMatchObject({ totalBudget: '800', rewardsDistributed: '100', status: 'active' })
  expect(found).not.toHaveProperty('signature')
  expect(found.incentives).toEqual([
    {
      type: 'TimeBasedIncentive',
      assetAddress: asset,
      tokenSymbol: 'TEST',
      tokenImageUri: expect.any(String),
      metadata: expect.any(Object),
    },
  ])
})

test('a proof is exported behind the signatures, as the record that it came in', async () => {
  const [user, campaign] = [anAddress('who is exported'), aProven({}, { id: `59144:${anAddress('manager')}:9` })]
  const proof = aClaimProof(campaign, user)
  await api.save(campaign, proof)
  const { body } = await api.get('/export/campaigns?chainId=59144')
  const lines = body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.filter(({ type }) => type === 'claimProof')).toEqual([proof])
  expect(lines.map(({ type }) => type)).toEqual(['claimProof', 'campaign'])
})

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  budgetOf,
  claimLimitOf,
  type Rewarding,
} from '../../packages/explorer/src/campaigns/incentives/incentive-budget.ts'
import { isFunded } from '../../packages/explorer/src/campaigns/incentives/incentive-variants.ts'
import { summarizeIncentive } from '../../packages/mcp/src/rewards.ts'
import { type IncentiveType, incentiveTypes } from '../../src/schemas/campaigns/incentives.ts'
import { aPayload } from '../setup/data/payloads.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, anIncentiveOfEachVariant, aToken } from '../setup/records.ts'
import { payoutOf } from '../setup/second-opinion/second-opinion-payouts.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

/*
 * What an incentive pays, until when, and what is left: said by four operations and tools, and the same in each.
 */

const START = Date.parse('2026-06-01T12:00:00.000Z')
const HOUR = 3_600_000
const user = anAddress('who compares')
const root = `0x${'d'.repeat(64)}`

/** One of each variant, and one of each kind that pays what it says: a pool, and an auction that is nearly spent. */
const incentives = [
  ...anIncentiveOfEachVariant(anAddress).map((incentive) => ({
    ...incentive,
    ...(incentive.remainingBalance !== undefined && { remainingBalance: '4000' }),
    ...(incentive.totalBudget !== undefined && { totalBudget: '9000000' }),
  })),
  anErc20Incentive(anAddress('asset'), { reward: '25', limit: '90' }),
  {
    type: 'CGDAIncentive' as const,
    ...{ asset: anAddress('asset'), initialReward: '100', rewardDecay: '5', rewardBoost: '6', totalBudget: '120' },
  },
]
/** Claimed with a signature, or with a proof, and then the only one of its campaign. */
const byProof = incentives.filter(({ type }) => type === 'TimeBasedIncentive')
const bySignature = incentives.filter(({ type }) => type !== 'TimeBasedIncentive')
const campaigns = [bySignature, byProof].map((incentives) =>
  aCampaign({ incentives, endTime: '2027-01-01T00:00:00.000Z' }),
)
const [signed = '', proven = ''] = campaigns.map(({ id }) => id)
const signatures = bySignature.map((_, incentiveId) => ({
  ...{ type: 'claimSignature' as const, campaignId: signed, incentiveId, claimant: user },
  ...{ signature: aPayload(500n), referrer: anAddress('referrer') },
}))
const proof = {
  ...{ type: 'claimProof' as const, campaignId: proven, claimant: user },
  ...{ cumulativeAmount: '30', proof: [`0x${'a'.repeat(64)}`], root },
}

type Said = Record<string, unknown>

let api: TestApp
let client: Client
beforeAll(async () => {
  api = await startTestApp()
  api.setNow(new Date(START))
  await api.save(
    aToken({ address: anAddress('asset'), decimals: 2, priceUsd: '3' }),
    aToken({ address: anAddress('peg'), decimals: 3, priceUsd: '7' }),
    ...campaigns,
    ...signatures,
    proof,
  )
  const baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 })
  client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`)))
  await client.listTools()
})
afterAll(async () => {
  await client.close()
  await api[Symbol.asyncDispose]()
})

const read = async (path: string) => (await api.get(path)).json()

/** Of all calls that a result leads to. */
async function callAll(name: string, given: object): Promise<Said[]> {
  const { structuredContent, isError } = await client.callTool({ name, arguments: { ...given } })
  expect(isError).not.toBe(true)
  const { rewards, campaigns, next } = structuredContent as {
    rewards?: Said[]
    campaigns?: { id: string; incentives: Said[] }[]
    next: { tool: string; arguments: object }[]
  }
  const own = (campaigns ?? []).flatMap(({ id, incentives }) =>
    incentives.map(({ index, ...said }): Said => ({ campaignId: id, incentiveIndex: index, ...said })),
  )
  const others = await Promise.all(next.map((call) => callAll(call.tool, call.arguments)))
  return [...(rewards ?? []), ...own, ...others.flat()]
}

const flatten = (body: { campaigns: { id: string; incentives: Said[] }[] }) =>
  body.campaigns.flatMap(({ id, incentives }) => incentives.map((said): Said => ({ campaignId: id, ...said })))

const find = (all: Said[], { campaignId, incentiveIndex }: Said): Said =>
  all.find((said) => said.campaignId === campaignId && said.incentiveIndex === incentiveIndex) ?? {}

/** What the contract pays by itself: then a claim of anybody pays the same, and `/outlook` knows it without a signature. */
const paysByItself = (incentive: Said) => {
  const { pays, reward } = payoutOf(incentive as { type: IncentiveType })
  return reward === 'auction' || (reward === 'fixed' && pays !== 'token in its peg')
}
const AMOUNTS = ['rewardNow', 'rewardNowUsd', 'raffle', 'claimUntil', 'exhaustsAt', 'claimsLeft', 'budgetLeft']
const pick = (said: Said, keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, said[key]]))
/** Amounts of tools, in base units as operations say them. */
const toBaseUnits = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'baseUnits' in value ? value.baseUnits : value

async function compareAt(at: number) {
  api.setNow(new Date(at))
  const ids = campaigns.map(({ id }) => id)
  const [outlook, eligibility, { rewards }, ...tools] = await Promise.all([
    read(`/outlook?campaignId=${ids}`),
    read(`/eligibility?user=${user}&campaignId=${ids}`),
    read(`/users/${user}/rewards?pageSize=100`),
    callAll('outlook', { campaignId: ids }),
    callAll('rewards_of', { user }),
    callAll('eligibility', { user, campaignId: ids }),
  ])
  const said = flatten(eligibility)
  expect(said).toHaveLength(incentives.length)
  for (const judged of said) {
    const name = `${judged.type} at ${new Date(at).toISOString()}`
    const foreseen = find(flatten(outlook), judged)
    const reward = find(rewards, judged)
    expect(pick(reward, [...AMOUNTS, 'verdict', 'reasons']), name).toEqual(
      pick(judged, [...AMOUNTS, 'verdict', 'reasons']),
    )
    const [ofOutlook = {}, ofRewards = {}, ofEligibility = {}] = tools.map((entries) => find(entries, judged))
    for (const key of ['rewardNow', 'rewardNowUsd', 'exhaustsAt', 'claimsLeft', 'budgetLeft']) {
      expect(toBaseUnits(ofOutlook[key]), `${name}: ${key}`).toEqual(foreseen[key])
    }
    for (const key of ['rewardNow', 'rewardNowUsd', 'claimUntil', 'exhaustsAt', 'claimsLeft']) {
      expect(toBaseUnits(ofRewards[key]), `${name}: ${key}`).toEqual(judged[key])
    }
    expect(pick(ofEligibility, ['verdict']), name).toEqual(pick(judged, ['verdict']))
    if (judged.verdict === 'blocked') continue
    expect(pick(judged, ['exhaustsAt', 'claimsLeft', 'budgetLeft']), name).toEqual(
      pick(foreseen, ['exhaustsAt', 'claimsLeft', 'budgetLeft']),
    )
    const isRaffle = judged.raffle !== undefined
    if (isRaffle)
      expect(judged.raffle, name).toEqual({ reward: foreseen.rewardNow ?? '100', entries: foreseen.entries })
    else if (paysByItself(judged)) {
      expect(pick(judged, ['rewardNow', 'rewardNowUsd']), name).toEqual(pick(foreseen, ['rewardNow', 'rewardNowUsd']))
    }
  }
  return said
}

test('outlook, rewards, eligibility and tools say the same of each variant, while time passes and others claim', async () => {
  const before = await compareAt(START)
  expect(new Set(before.map(({ type }) => type))).toEqual(new Set(incentiveTypes))
  expect(before.filter(({ rewardNow }) => rewardNow !== undefined).length).toBeGreaterThan(6)
  const auctions = [before, await compareAt(START + 3 * HOUR)]
  for (const hours of [4, 5, 30]) {
    const blockTimestamp = String((START + hours * HOUR) / 1000)
    await api.save(
      ...campaigns.flatMap((campaign) =>
        campaign.incentives.map((_, incentiveIndex) =>
          aClaim(campaign, { incentiveIndex, amount: '3', blockTimestamp }),
        ),
      ),
    )
    auctions.push(await compareAt(START + hours * HOUR + 1000))
  }
  // They do change, or else nothing was compared.
  const paid = auctions.map((said) => said.find(({ type }) => type === 'CGDAIncentive')?.rewardNow)
  expect(new Set(paid).size).toBeGreaterThan(2)
  expect(auctions.at(-1)?.some(({ exhaustsAt }) => exhaustsAt !== undefined)).toBe(true)
})

test('pages and tools work out of each variant what the service says is left, where no record says it', async () => {
  const unrecorded = anIncentiveOfEachVariant(anAddress).map(
    ({ remainingBalance, claimedAmount, totalAmountClaimed, totalClaims, ...incentive }) => incentive,
  )
  const apart = [...unrecorded, anErc20Incentive(anAddress('asset'), { reward: '25', limit: '90' })].map((incentive) =>
    aCampaign({ incentives: [incentive] as typeof incentives, startTime: '2026-01-01T00:00:00.000Z' }),
  )
  const claims = apart.map((campaign) => aClaim(campaign, { amount: '3', blockTimestamp: String(START / 1000 - 60) }))
  await api.save(...apart, ...claims)
  const ids = apart.map(({ id }) => id)
  const outlooks = flatten(await read(`/outlook?campaignId=${ids}`))
  const list = await read(`/campaigns?campaignId=${ids}&pageSize=100&tokenWhitelist=false`)
  const campaigns: (Rewarding & { id: string })[] = list.campaigns
  expect(campaigns.map(({ id }) => id).sort()).toEqual(ids.toSorted())
  for (const campaign of campaigns) {
    const [incentive] = campaign.incentives
    if (incentive === undefined) throw new Error('a campaign without its incentive')
    const { budgetLeft, claimsLeft } = outlooks.find(({ campaignId }) => campaignId === campaign.id) ?? {}
    const ofTool = summarizeIncentive(incentive, { chainId: campaign.chainId, tokens: () => null })
    // Only the service has the claims of an auction, and those of one whose limit counts them all.
    if (isFunded(incentive) && !('totalBudget' in incentive)) {
      const name = incentive.type
      expect(budgetLeft, name).toMatch(/^[1-9]/)
      expect(String(budgetOf({ ...campaign, tokens: new Map() }, incentive).left), name).toBe(budgetLeft)
      expect(ofTool.left?.baseUnits, name).toBe(budgetLeft)
      expect(claimLimitOf(incentive)?.left?.toString(), name).toBe(claimsLeft)
      expect(ofTool.claimsLeft, name).toBe(claimsLeft)
    }
  }
})

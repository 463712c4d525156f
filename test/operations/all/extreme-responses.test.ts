import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { aPayload } from '../../setup/data/payloads.ts'
import { type Contract, contractOf } from '../../setup/documents/openapi.ts'
import {
  aCampaign,
  aClaim,
  aHash,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  anIncentiveOfEachVariant,
  aProfile,
  aStep,
  aToken,
} from '../../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'
import { bearing, issueToken } from '../../setup/tokens.ts'

/*
 * The import admits these records, at the edges of everything that it bounds. The responses made of them keep what the
 * published document promises.
 */

const NOW = new Date('2026-01-01T12:00:00.000Z')
const JUST_NOW = String(NOW.getTime() / 1000 - 60)
const MAX = String(2n ** 256n - 1n)
const CHAIN = Number.MAX_SAFE_INTEGER
const LONG = '\u{10ffff}'.repeat(4096)
const LONG_NAME = '\u{10ffff}'.repeat(128)
const HIGHEST_PRICE = `${'9'.repeat(60)}.${'9'.repeat(60)}`
const LOWEST_PRICE = `0.${'0'.repeat(59)}1`
const LAST = '9999-12-31T23:59:59.999999999Z'
const FIRST = '1000-01-01T00:00:00Z'
const user = anAddress('user')
const asset = anAddress('asset')
/** Its record has no long texts, which a thousand incentives would repeat. */
const plainAsset = anAddress('plain asset')

const idOf = (number: bigint) => `${CHAIN}:0x${'f'.repeat(40)}:${2n ** 256n - number}`

/** An incentive of each variant, with every amount in it replaced. */
const incentivesOf = (amount: string, number: number) =>
  anIncentiveOfEachVariant(() => asset).map((incentive) => {
    const amounts = Object.entries(incentive).map(([key, value]) => [
      key,
      /^[0-9]+$/.test(String(value)) && typeof value === 'string' ? amount : value,
    ])
    const numbers = {
      ...('rebatePercentage' in incentive ? { rebatePercentage: number } : {}),
      ...('strategy' in incentive ? { strategy: number } : {}),
    }
    return { ...Object.fromEntries(amounts), ...numbers }
  })

const stepOf = (number: number) => ({
  ...aStep(asset, CHAIN),
  claimant: user,
  signature: '0'.repeat(256),
  signatureName: LONG,
  actionType: number,
  parameters: { filterType: number, fieldType: number, fieldIndex: number, filterData: 'f'.repeat(65_536) },
})

const template = anActionTemplate({
  projectId: LONG,
  actionType: 'swap',
  projectImage: LONG,
  description: LONG,
  category: 'other',
})

const texts = (text: string) => ({
  campaignName: text,
  templateId: text,
  nftImageUri: text,
  nftName: text,
  nftMetadataId: text,
  projectImageUri: text,
  projectUrl: text,
  tokenImageUri: text,
  verificationLevel: text,
})

const largest = aCampaign({
  id: idOf(1n),
  campaignIndex: MAX,
  protocolFee: MAX,
  maxParticipants: MAX,
  blockTimestamp: '253402300799',
  startTime: FIRST,
  endTime: LAST,
  actionTemplateId: template.id,
  actionToken: { chainId: CHAIN, address: asset },
  incentives: [
    anErc20Incentive(asset, { reward: MAX, limit: MAX }),
    ...incentivesOf(MAX, Number.MAX_VALUE),
    ...incentivesOf(MAX, -Number.MAX_VALUE),
  ],
  actionSteps: [stepOf(Number.MAX_VALUE), stepOf(-Number.MAX_VALUE), stepOf(255)],
  allowList: {
    owner: user,
    contractAddress: user,
    type: 'SimpleAllowList',
    addresses: [user, ...Array.from({ length: 150 }, (_, index) => anAddress(`listed ${index}`))],
  },
  actionClaimant: {
    signature: '0'.repeat(256),
    signatureName: LONG,
    signatureType: 'function',
    fieldIndex: -Number.MAX_VALUE,
    targetContract: asset,
    targetContractName: LONG,
    chainId: CHAIN,
  },
  createdAtBlockchainNumbers: Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [String(CHAIN - index), MAX]),
  ),
  ...texts(LONG),
})

/** As many incentives as there may be, of as much as there can be. */
const richest = aCampaign({
  id: idOf(2n),
  blockTimestamp: '0',
  startTime: FIRST,
  endTime: LAST,
  incentives: Array.from({ length: 1000 }, () => anErc20Incentive(plainAsset, { reward: MAX, limit: MAX })),
})

const smallest = aCampaign({
  id: `0:0x${'0'.repeat(40)}:0`,
  campaignIndex: '0',
  protocolFee: '0',
  incentives: [anErc20Incentive(asset, { reward: '1', limit: '1' }), ...incentivesOf('0', 0)],
  actionSteps: [{ ...stepOf(0), signature: '', signatureName: '' }],
  ...texts(''),
})

const token = (chainId: number, decimals: number, priceUsd: string, number: number) =>
  aToken({
    chainId,
    address: asset,
    decimals,
    priceUsd,
    name: chainId === 0 ? '' : LONG,
    symbol: chainId === 0 ? '' : LONG,
    imageUri: chainId === 0 ? '' : LONG,
    marketCap: number,
    priceChange24Hr: -number,
    volume24Hr: number,
    holders: number,
  })

/** Claims that add up to more than one amount can be. */
const claimsOf = (campaign: typeof largest, positions: number[]) =>
  positions.flatMap((incentiveIndex) =>
    Array.from({ length: 12 }, (_, copy) =>
      aClaim(campaign, {
        incentiveIndex,
        claimant: anAddress(`claimant ${copy}`),
        amount: MAX,
        amountUsd: HIGHEST_PRICE,
        txHash: aHash(`${campaign.id} ${incentiveIndex} ${copy}`),
        logIndex: 2_147_483_647,
        blockTimestamp: JUST_NOW,
      }),
    ),
  )

const signer = anAddress('who is signed for')

const signatureOf = (campaignId: string, incentiveId: number, signature: string) => ({
  ...{ type: 'claimSignature' as const, campaignId, incentiveId, claimant: signer, signature, referrer: user },
})

const records: ImportRecord[] = [
  template,
  token(CHAIN, 0, HIGHEST_PRICE, Number.MAX_VALUE),
  token(0, 255, LOWEST_PRICE, Number.MIN_VALUE),
  aToken({ chainId: CHAIN, address: plainAsset, decimals: 0, priceUsd: HIGHEST_PRICE }),
  { type: 'contract', chainId: CHAIN, address: asset, name: LONG },
  largest,
  richest,
  smallest,
  ...claimsOf(largest, [0, 5, 15]),
  ...claimsOf(richest, [0, 1, 999]),
  aClaim(smallest, { amount: '0', amountUsd: LOWEST_PRICE, blockTimestamp: JUST_NOW }),
  {
    type: 'claimSignature',
    campaignId: largest.id,
    incentiveId: 20,
    claimant: user,
    signature: 'f'.repeat(65_536),
    referrer: user,
  },
  ...[largest, smallest].flatMap(({ id, incentives }) =>
    incentives.flatMap(({ type }, incentiveId) =>
      type === 'TimeBasedIncentive'
        ? []
        : signatureOf(id, incentiveId, aPayload(id === largest.id ? 2n ** 256n - 1n : 0n)),
    ),
  ),
  ...[0, 500, 998].map((incentiveId) => signatureOf(richest.id, incentiveId, aPayload(1n))),
  { type: 'accessList', id: LONG_NAME, userId: LONG_NAME, name: LONG, icon: LONG, createdAt: LAST, members: [user] },
  { type: 'accessList', id: '-', userId: LONG_NAME, name: '', icon: '', createdAt: FIRST },
  aProfile({
    userAddress: user,
    ethEarned: MAX,
    score: -Number.MAX_VALUE,
    streak: { value: -Number.MAX_VALUE, lastExpirationTime: FIRST, nextExpirationTime: LAST, lastCompletionTime: LAST },
  }),
]

let api: BorrowedTestApp
let contract: Contract
beforeAll(async () => {
  api = await borrowTestApp()
  api.setNow(NOW)
  await api.save(...records)
  contract = await contractOf(api)
})
afterAll(() => api[Symbol.asyncDispose]())

async function responseOf(url: string, headers = {}) {
  const response = await api.get(url, headers)
  expect(response.statusCode, response.body.slice(0, 300)).toBe(200)
  return response.json()
}

test('a page of campaigns keeps its schema', async () => {
  const body = await responseOf('/campaigns?tokenWhitelist=false')
  expect(body.campaigns.map(({ id }: { id: string }) => id)).toEqual([largest.id, smallest.id, richest.id])
  expect(contract.faultsOf('/campaigns', body)).toEqual([])
  expect(body.campaigns[0].endTime).toMatch(/^9999-12-31T23:59:59/)
  const budget = body.campaigns[2].availableBudgetUsd
  expect(budget.split('.')[0].length, 'digits of the sum of a thousand products').toBeGreaterThan(215)
})

test('campaigns keep their schema in detail', async () => {
  for (const { id } of [largest, richest, smallest]) {
    const body = await responseOf(`/campaigns/${id}`)
    expect(contract.faultsOf('/campaigns/{id}', body)).toEqual([])
    if (id === richest.id) expect(body.incentives[0].totalAmountClaimed).toBe(String(12n * (2n ** 256n - 1n)))
  }
})

test('trending campaigns keep their schema', async () => {
  for (const query of ['', `&user=${user}`, '&period=1h']) {
    const body = await responseOf(`/reward-kit/trending?tokenWhitelist=false&includeTokenMetadata=true${query}`)
    expect(body.trendingCampaigns).toHaveLength(3)
    expect(contract.faultsOf('/reward-kit/trending', body), query).toEqual([])
    const [first] = body.trendingCampaigns
    expect(first.id).toBe(largest.id)
    expect(first.actionTokenMetadata.marketCap).toBe(Number.MAX_VALUE)
    expect(first.totalBudget.length).toBeGreaterThan(154)
    expect(first.signature?.signature.length ?? 65_536).toBe(65_536)
  }
})

test('what accounts have claimed and can claim keeps its schema', async () => {
  const ids = [largest, richest, smallest].map(({ id }) => id).join()
  const verdicts = new Set<string>()
  for (const account of [signer, user, anAddress('claimant 0')]) {
    const eligibility = await responseOf(`/eligibility?user=${account}&campaignId=${ids}`)
    expect(contract.faultsOf('/eligibility', eligibility), account).toEqual([])
    for (const query of ['', '?state=claimable&claimTransactions=true', '?state=claimed']) {
      const rewards = await responseOf(`/users/${account}/rewards${query}`)
      expect(contract.faultsOf('/users/{address}/rewards', rewards), account + query).toEqual([])
      for (const { verdict } of rewards.rewards) verdicts.add(verdict)
    }
    const statement = await api.get(`/users/${account}/rewards?format=csv`)
    expect(statement.statusCode, statement.body.slice(0, 300)).toBe(200)
  }
  expect([...verdicts].sort()).toEqual(['blocked', 'claimable'])
})

test('outlooks and claims keep their schema', async () => {
  const ids = [largest, richest, smallest].map(({ id }) => id).join()
  expect(contract.faultsOf('/outlook', await responseOf(`/outlook?campaignId=${ids}`))).toEqual([])
  expect(contract.faultsOf('/claims', await responseOf('/claims?pageSize=100'))).toEqual([])
})

test('explanations keep their schema, whatever is required and whatever a campaign has', async () => {
  const tokens = Array.from({ length: 100 }, (_, nth) => `${CHAIN}:${anAddress(`required ${nth}`)}:collection`)
  const filters = `tokens=${tokens}&tokenWhitelist=false`
  for (const { id } of [largest, richest, smallest]) {
    const listed = await responseOf(`/campaigns?search=${encodeURIComponent('\u{10ffff}x')}&${filters}&explain=${id}`)
    expect(contract.faultsOf('/campaigns', listed)).toEqual([])
    const failed = listed.explained.failed as { parameter: string; required: string; actual: string }[]
    expect(failed.map(({ parameter }) => parameter)).toEqual(['tokens', 'search'])
    expect(failed[0]?.required).toBe(tokens.join())
    const trending = await responseOf(`/reward-kit/trending?${filters}&explain=${id}`)
    expect(contract.faultsOf('/reward-kit/trending', trending)).toEqual([])
  }
})

test('contracts keep their schema', async () => {
  const body = await responseOf('/explore/contracts')
  expect(body).toHaveLength(1)
  expect(contract.faultsOf('/explore/contracts', body)).toEqual([])
})

test('access lists keep their schema', async () => {
  const secret = await issueToken(api, { userId: LONG_NAME })
  const body = await responseOf('/campaigns/accesslists', bearing(secret))
  expect(body.accesslists).toHaveLength(2)
  expect(contract.faultsOf('/campaigns/accesslists', body)).toEqual([])
})

test('a profile keeps its schema', async () => {
  const secret = await issueToken(api, { address: user })
  const body = await responseOf('/users/profile', bearing(secret))
  expect(contract.faultsOf('/users/profile', body)).toEqual([])
  expect(body.streak.nextExpirationTime).toMatch(/^9999-12-31T23:59:59/)
})

test('an ID that no answer could hold is a fault', async () => {
  const urn = anActionTemplate({ id: `urn:uuid:${template.id}` })
  await expect(api.save(urn)).rejects.toThrow(/\/id: must be a UUID, got "urn:uuid:/)
  const campaign = aCampaign({ actionTemplateId: `urn:uuid:${template.id}` })
  await expect(api.save(campaign)).rejects.toThrow(/\/actionTemplateId: must be a UUID, got "urn:uuid:/)
})

test('what the document promises is not too little to be broken', async () => {
  const body = await responseOf('/campaigns?tokenWhitelist=false&pageSize=1')
  const [campaign] = body.campaigns
  for (const wrong of [
    { availableBudgetUsd: '1e5' },
    { availableBudgetUsd: '01' },
    { protocolFee: `${MAX}0` },
    { startTime: '+010000-01-01T00:00:00.000Z' },
    { campaignName: `${LONG}x` },
    { incentives: [{ ...campaign.incentives[0], type: 'Incentive' }] },
  ]) {
    expect(contract.faultsOf('/campaigns', { ...body, campaigns: [{ ...campaign, ...wrong }] })).not.toEqual([])
  }
})

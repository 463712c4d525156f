import { expect } from 'vitest'
import type { ListContractsResponse } from '../../../src/features/contracts/contract-schemas.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ClaimRecord } from '../../../src/ingest/records.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep } from '../records.ts'
import type { BorrowedTestApp } from '../test-app.ts'

/*
 * Campaigns that target contracts, and what is said of these.
 */

export const NOW = new Date('2026-01-01T00:00:00.000Z')

export const RANGES = { '6h': 21_600, '24h': 86_400, '7d': 604_800 } as const

export const sorts = ['most-completions', 'total-spend', 'recently-deployed']

export const OWNER = anAddress('owner')

export const [A, B, C, D] = ['contract a', 'contract b', 'contract c', 'contract d'].map(anAddress).toSorted() as [
  ...[string, string, string, string],
]

/** Unix seconds, so many from the moment of the responses. */
export const at = (seconds: number, now = NOW) => String(Math.floor(now.getTime() / 1000) + seconds)

/** A campaign that can be claimed, with a step on each of the contracts. */
export const aCampaignOn = (contracts: string[], parts: Partial<CampaignRecord> = {}, chainId = 8453) =>
  aCampaign({
    owner: OWNER,
    incentives: [anErc20Incentive(anAddress('unlisted token'))],
    actionSteps: contracts.map((contract) => aStep(contract, chainId)),
    ...parts,
  })

export const claims = (campaign: CampaignRecord, count: number, parts: Partial<ClaimRecord> = {}) =>
  Array.from({ length: count }, () => aClaim(campaign, { amountUsd: '1', ...parts }))

export const entry = (address: string, [campaignCount, totalClaims, totalAmountClaimedUsd]: number[], parts = {}) => ({
  chainId: 8453,
  address,
  name: '',
  stats: { campaignCount, totalClaims, totalAmountClaimedUsd },
  ...parts,
})

export async function page(api: BorrowedTestApp, query = '') {
  const response = await api.get(`/explore/contracts?${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return { contracts: response.json<ListContractsResponse>(), total: response.headers['x-total-count'] }
}

/** The first hundred that match, in their order; the total has to say the same. */
export async function explore(api: BorrowedTestApp, query = '') {
  const { contracts, total } = await page(api, `pageSize=100&${query}`)
  expect(total).toBe(String(contracts.length))
  return contracts
}

export const addressesOf = (contracts: ListContractsResponse) => contracts.map(({ address }) => address)

export const found = async (api: BorrowedTestApp, query = '') => addressesOf(await explore(api, query))

/** `campaigns claims dollars` of the only contract there is on the chain. */
export async function figures(api: BorrowedTestApp, chainId: number, query = '') {
  const contracts = await explore(api, `chainIds=${chainId}&${query}`)
  expect(contracts).toHaveLength(1)
  return Object.values(contracts[0]?.stats ?? {})
}

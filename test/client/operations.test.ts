import { createClient } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { setFollowed } from '../setup/data/followed-chains.ts'
import {
  aCampaign,
  aClaim,
  anAccessList,
  anAddress,
  anErc20Incentive,
  aProfile,
  aStep,
  aToken,
} from '../setup/records.ts'
import { startTestApp } from '../setup/test-app.ts'
import { startTestClient } from '../setup/test-client.ts'
import { issueToken } from '../setup/tokens.ts'

const NOW = new Date('2026-01-31T12:00:00Z')

const token = aToken({ priceUsd: '1' })
const campaign = aCampaign({
  owner: anAddress('mine'),
  incentives: [anErc20Incentive(token.address)],
  actionSteps: [aStep(anAddress('target'))],
})
const claim = aClaim(campaign, { blockTimestamp: String(NOW.getTime() / 1000 - 60), amountUsd: '2' })
const idle = aCampaign()
const facts = [token, campaign, idle, claim]

test('every public operation gives what the service answers', async () => {
  await using service = await startTestClient()
  const { api, client } = service
  api.setNow(NOW)
  await api.save(...facts)
  const body = async (url: string) => (await api.get(url)).json()

  const owned = await client.listCampaigns({ owner: anAddress('mine'), pageSize: 5 })
  expect(owned).toMatchObject({ campaigns: [{ id: campaign.id }], totalCampaigns: 1 })
  expect(owned).toEqual(await body(`/campaigns?owner=${anAddress('mine')}&pageSize=5`))

  expect(await client.getCampaign(campaign.id)).toEqual(await body(`/campaigns/${campaign.id}`))
  expect(await client.getCampaign(campaign.id, { fields: ['id', 'chainId'] })).toEqual({
    id: campaign.id,
    chainId: 8453,
  })

  const trending = await client.listTrendingCampaigns({ period: '1h' })
  expect(trending).toMatchObject({ trendingCampaigns: [{ id: campaign.id, usdDistributed1Hr: 2 }] })
  expect(trending).toEqual(await body('/reward-kit/trending?period=1h'))

  const contracts = await client.listContracts({ sortBy: 'total-spend', chainIds: [8453, 10] })
  expect(contracts).toMatchObject([{ address: anAddress('target') }])
  expect(contracts).toEqual(await body('/explore/contracts?sortBy=total-spend&chainIds=8453,10'))

  const activity = await client.listActivity({ campaignId: [campaign.id, idle.id], timeRange: '1h' })
  expect(activity).toMatchObject({ intervalSeconds: 60, campaigns: [{ totalClaims: 1 }, { totalClaims: 0 }] })
  expect(activity).toEqual(await body(`/activity?timeRange=1h&campaignId=${campaign.id},${idle.id}`))

  const claims = await client.listClaims({ claimant: claim.claimant, campaignId: [campaign.id], pageSize: 5 })
  expect(claims).toMatchObject({ claims: [{ txHash: claim.txHash, amountUsd: '2' }], totalClaims: 1 })
  expect(claims).toEqual(await body(`/claims?claimant=${claim.claimant}&campaignId=${campaign.id}&pageSize=5`))

  const eligibility = await client.listEligibility({ user: claim.claimant, campaignId: [campaign.id, idle.id] })
  expect(eligibility).toMatchObject({ campaigns: [{ id: campaign.id, verdict: 'blocked' }, { id: idle.id }] })
  expect(eligibility).toEqual(await body(`/eligibility?user=${claim.claimant}&campaignId=${campaign.id},${idle.id}`))
  const outlooks = await client.listOutlooks({ campaignId: [campaign.id], basis: '7d' })
  expect(outlooks).toMatchObject({ basis: '7d', campaigns: [{ id: campaign.id }] })

  const rewards = await client.listRewards(claim.claimant, { state: 'claimed' })
  expect(rewards).toMatchObject({ rewards: [{ campaignId: campaign.id, claims: 1 }], nextCursor: null })
  expect(rewards).toEqual(await body(`/users/${claim.claimant}/rewards?state=claimed`))

  expect(await client.listClaims()).toEqual(await body('/claims'))
  expect(await client.listRewards(anAddress('nobody'))).toMatchObject({ rewards: [], totals: [] })
  expect(await client.listCampaigns()).toEqual(await body('/campaigns'))
  expect(await client.listTrendingCampaigns()).toEqual(await body('/reward-kit/trending'))
  expect(await client.listContracts()).toEqual(await body('/explore/contracts'))
  expect(await client.listActivity()).toEqual(await body('/activity'))

  expect(await client.getLimits()).toEqual(await body('/limits'))

  await setFollowed(api.database, 8453, 120)
  const { chains } = await client.getStatus()
  expect(chains).toMatchObject([{ chainId: 8453, asOfBlock: '120' }])
  expect({ chains }).toMatchObject({ chains: (await body('/status')).chains })
})

test('every protected operation gives what the service answers the bearer of the token', async () => {
  await using api = await startTestApp()
  await api.save(anAccessList({ userId: 'user-1', name: 'Early' }), aProfile({ userAddress: anAddress('me') }))
  const secret = await issueToken(api, { userId: 'user-1', address: anAddress('me') })
  const client = createClient({ baseUrl: await api.app.listen({ host: '127.0.0.1', port: 0 }), token: secret })
  const body = async (url: string) => (await api.get(url, { authorization: `Bearer ${secret}` })).json()

  const lists = await client.listAccessLists({ search: 'ear', orderBy: 'ASC' })
  expect(lists).toMatchObject({ accesslists: [{ name: 'Early' }] })
  expect(lists).toEqual(await body('/campaigns/accesslists?search=ear&orderBy=ASC'))
  expect(await client.listAccessLists()).toEqual(lists)
  expect(await client.getUserProfile()).toEqual(await body('/users/profile'))
  expect(await client.getUserProfile({ user: anAddress('me') })).toEqual(await body('/users/profile'))
})

test('the protected operations alone are asked at their own address, and with the token', async () => {
  await using publicApi = await startTestApp({ SURFACES: 'public' })
  await using stagingApi = await startTestApp({ SURFACES: 'staging' }, publicApi.database)
  const asked: [url: string, authorization: string | null][] = []
  const [baseUrl, stagingUrl] = await Promise.all(
    [publicApi, stagingApi].map(({ app }) => app.listen({ host: '127.0.0.1', port: 0 })),
  )
  const token = await issueToken(publicApi, { userId: 'user-1' })
  const client = createClient({
    baseUrl: `${baseUrl}/`,
    stagingUrl,
    token,
    fetch(request) {
      asked.push([request.url, request.headers.get('authorization')])
      return fetch(request)
    },
  })
  expect(await client.listAccessLists({ search: 'a b' })).toEqual({ accesslists: [] })
  expect(await client.listCampaigns()).toEqual({ campaigns: [], totalCampaigns: 0 })
  expect(asked).toEqual([
    [`${stagingUrl}/campaigns/accesslists?search=a%20b`, `Bearer ${token}`],
    [`${baseUrl}/campaigns`, null],
  ])
})

test('lists are sent with commas, and what is not given is not sent', async () => {
  await using service = await startTestClient()
  await service.client.listCampaigns({ distributionChannel: ['base-app', 'a&b'], tokens: [], chainId: null })
  expect(service.exchanges.map(({ request: { url }, status }) => [url, status])).toEqual([
    [`${service.baseUrl}/campaigns?distributionChannel=base-app,a%26b`, 200],
  ])
})

test('the same service by path gives the headers of answers too', async () => {
  await using service = await startTestClient()
  const { data, response } = await service.client.api.GET('/explore/contracts', { params: { query: { pageSize: 0 } } })
  expect(data).toEqual([])
  expect(response.headers.get('x-total-count')).toBe('0')
})

test('a signal ends a request', async () => {
  await using service = await startTestClient()
  const reason = new Error('the page is gone')
  await expect(service.client.listCampaigns({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const controller = new AbortController()
  const asked = service.client.listCampaigns({}, { signal: controller.signal })
  controller.abort(reason)
  await expect(asked).rejects.toBe(reason)
  expect(service.exchanges).toEqual([])
})

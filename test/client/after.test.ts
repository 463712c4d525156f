import { createClient } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { aCampaign, aClaim, aHash, anAddress, anErc20Incentive } from '../setup/records.ts'
import { startRefusingServer } from '../setup/servers/refusing-server.ts'
import { startTestApp } from '../setup/test-app.ts'
import { startTestClient } from '../setup/test-client.ts'

/** Responses of its own: the service beyond follows no chain. */
const EMPTY = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{"campaigns":[],"totalCampaigns":0}',
}

test('after a block, the public operations ask for answers that have seen it', async () => {
  await using api = await startTestApp()
  await using server = await startRefusingServer(api, Array(10).fill(EMPTY))
  const client = createClient({ baseUrl: server.url, token: 'secret' })
  const later = client.after(8453, 22_222_222n)
  await later.listCampaigns({ chainId: 8453 })
  await later.getCampaign('8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1')
  await later.listTrendingCampaigns()
  await later.listContracts()
  await later.eachCampaign().pages().next()
  await later.listAccessLists()
  await later.getUserProfile()
  await later.getStatus()
  await later.after(10, 7).after(8453, 3).after(10, 9n).listContracts()
  await client.listCampaigns()
  expect(server.asked).toEqual([
    '/campaigns?chainId=8453&minBlock=8453:22222222',
    '/campaigns/8453%3A0xea11a7937809b8585e63b12cc86bf91a72a5b08a%3A1?minBlock=8453:22222222',
    '/reward-kit/trending?minBlock=8453:22222222',
    '/explore/contracts?minBlock=8453:22222222',
    '/campaigns?page=1&pageSize=100&minBlock=8453:22222222',
    '/campaigns/accesslists',
    '/users/profile',
    '/status',
    '/explore/contracts?minBlock=8453:22222222,10:9',
    '/campaigns',
  ])
})

test('an answer after a block of a followed chain has seen it', async () => {
  await using service = await startTestClient()
  const { api, client } = service
  await setFollowed(api.database, 8453, 5)
  const asked = client.after(8453, 6).listCampaigns()
  await setFollowed(api.database, 8453, 6)
  expect(await asked).toEqual({ campaigns: [], totalCampaigns: 0 })
})

test('a block that is not there yet is waited for', async () => {
  await using api = await startTestApp()
  const behind = { status: 503, headers: { 'retry-after': '1' }, body: '{"error":"chain 8453 is at block 5"}' }
  await using server = await startRefusingServer(api, [behind, EMPTY])
  const client = createClient({ baseUrl: server.url }).after(8453, 6)
  expect(await client.listCampaigns()).toEqual({ campaigns: [], totalCampaigns: 0 })
  expect(server.asked).toEqual(['/campaigns?minBlock=8453:6', '/campaigns?minBlock=8453:6'])
})

test('after a receipt, what its transaction claimed is returned, once its block has been seen', async () => {
  await using service = await startTestClient()
  const { api, client, exchanges } = service
  const campaign = aCampaign({
    id: `8453:${anAddress('core')}:7`,
    incentives: [anErc20Incentive(anAddress('asset')), anErc20Incentive(anAddress('asset'))],
  })
  const elsewhere = aCampaign({ id: `10:${anAddress('core')}:7`, incentives: campaign.incentives })
  const transactionHash = aHash('the transaction')
  const claims = Array.from({ length: 120 }, (_, logIndex) =>
    aClaim(campaign, { txHash: transactionHash, logIndex, claimant: anAddress(`claimant ${logIndex}`) }),
  )
  await api.save(campaign, elsewhere, ...claims, aClaim(campaign, {}), aClaim(elsewhere, { txHash: transactionHash }))
  await setFollowed(api.database, 8453, 5)
  const asked = client.afterReceipt({ chainId: 8453, transactionHash, blockNumber: 6n })
  await setFollowed(api.database, 8453, 6)
  expect((await asked).map(({ campaignId, logIndex }) => [campaignId, logIndex])).toEqual(
    claims.map(({ campaignId, logIndex }) => [campaignId, logIndex]),
  )
  expect(exchanges.every(({ request }) => request.url.includes('minBlock=8453:6'))).toBe(true)
  expect(await client.afterReceipt({ chainId: 8453, transactionHash: aHash('none'), blockNumber: 5 })).toEqual([])
})

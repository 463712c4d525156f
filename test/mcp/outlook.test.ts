import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aCampaign, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

const usdc = aToken({ address: anAddress('outlook usdc'), symbol: 'USDC', decimals: 6, priceUsd: '1' })
const campaign = aCampaign({ incentives: [anErc20Incentive(usdc.address, { reward: '2500000', limit: '9' })] })

let api: TestApp
let client: Client
beforeAll(async () => {
  api = await startTestApp()
  await api.save(usdc, campaign)
  const baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 })
  client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`)))
  await client.listTools()
})
afterAll(async () => {
  await client.close()
  await api[Symbol.asyncDispose]()
})

test('what is left is given in base units and in whole tokens', async () => {
  const result = await client.callTool({ name: 'outlook', arguments: { campaignId: [campaign.id, `${campaign.id}9`] } })
  expect(result.structuredContent).toMatchObject({
    basis: '24h',
    campaigns: [
      {
        id: campaign.id,
        incentives: [
          {
            index: 0,
            rewardNow: { baseUnits: '2500000', tokens: '2.5 USDC' },
            budgetLeft: { baseUnits: '22500000', tokens: '22.5 USDC' },
          },
        ],
      },
    ],
    unknownCampaigns: [`${campaign.id}9`],
    next: [],
  })
})

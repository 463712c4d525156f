import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aCampaign, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

const usdc = aToken({ address: anAddress('outlook usdc'), symbol: 'USDC', decimals: 6, priceUsd: '1' })
const campaign = aCampaign({ incentives: [anErc20Incentive(usdc.address, { reward: '2500000', limit: '9' })] })

const dai = aToken({ address: anAddress('outlook dai'), symbol: 'DAI', decimals: 18 })
/** The contract has an incentive at index 0 that the record leaves out. */
const withGap = {
  ...aCampaign({
    incentives: [
      anErc20Incentive(usdc.address, { reward: '1000000', limit: '2' }),
      anErc20Incentive(dai.address, { reward: `5${'0'.repeat(18)}`, limit: '2' }),
    ],
  }),
  incentivePositions: [1, 3],
}

let api: TestApp
let client: Client
beforeAll(async () => {
  api = await startTestApp()
  await api.save(usdc, dai, campaign, withGap)
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

test('indexes are those of the contract, and amounts are in the token of the incentive, also after a gap', async () => {
  const result = await client.callTool({ name: 'outlook', arguments: { campaignId: [withGap.id] } })
  expect(result.structuredContent).toMatchObject({
    campaigns: [
      {
        incentives: [
          { index: 1, rewardNow: { tokens: '1 USDC' }, budgetLeft: { tokens: '2 USDC' } },
          { index: 3, rewardNow: { tokens: '5 DAI' }, budgetLeft: { tokens: '10 DAI' } },
        ],
      },
    ],
  })
  const eligibility = { name: 'eligibility', arguments: { campaignId: [withGap.id], user: anAddress('anybody') } }
  expect((await client.callTool(eligibility)).structuredContent).toMatchObject({
    campaigns: [{ incentives: [{ index: 1 }, { index: 3 }] }],
  })
  const { structuredContent } = await client.callTool({ name: 'get_campaigns', arguments: { campaignId: withGap.id } })
  expect(JSON.stringify(structuredContent)).not.toContain('"index"')
})

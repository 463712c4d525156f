import { expect, test } from 'vitest'
import {
  aCampaign,
  aClaim,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  aToken,
  inUpperCase,
} from '../../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

/*
 * What campaigns can be found by beyond the reference: many by ID, variants, actions, and the tokens that are paid.
 */

const CORE = '0xea11a7937809b8585e63b12cc86bf91a72a5b08a'

async function found(api: BorrowedTestApp, query: string): Promise<string[]> {
  const response = await api.get(`/campaigns?tokenWhitelist=false&pageSize=100&${query}`)
  expect(response.statusCode, response.body).toBe(200)
  const { campaigns, totalCampaigns } = response.json()
  expect(totalCampaigns).toBe(campaigns.length)
  return campaigns.map(({ id }: { id: string }) => id)
}

async function refused(api: BorrowedTestApp, url: string): Promise<string> {
  const response = await api.get(url)
  expect(response.statusCode, response.body).toBe(400)
  return response.json().error
}

test('campaignId finds many by ID in one request, without regard to case, under all other filters', async () => {
  await using api = await borrowTestApp()
  const campaigns = Array.from({ length: 100 }, (_, index) => aCampaign({ id: `8453:${CORE}:${index}` }))
  await api.save(...campaigns, aCampaign({ owner: anAddress('other') }))
  const ids = campaigns.map(({ id }) => id.replace(CORE, inUpperCase(CORE)))
  expect((await found(api, `campaignId=${ids.join()}`)).sort()).toEqual(campaigns.map(({ id }) => id).sort())
  expect(await found(api, `campaignId=${ids[3]}&campaignId=${ids[5]},1:${CORE}:1`)).toHaveLength(2)
  expect(await found(api, `campaignId=${ids[3]}&owner=${anAddress('other')}`)).toEqual([])
  // The defaults stay.
  const { campaigns: page, totalCampaigns } = (await api.get(`/campaigns?campaignId=${ids.join()}`)).json()
  expect([page.length, totalCampaigns]).toEqual([10, 100])
  expect(await refused(api, `/campaigns?campaignId=${ids.join()},1:${CORE}:1`)).toBe(
    'campaignId must have at most 100 entries',
  )
  expect(await refused(api, '/campaigns?campaignId=1657')).toContain('an entry of campaignId must be a campaign ID')
})

test('incentiveType finds any of several variants without regard to case, and an unknown one is told the nearest', async () => {
  await using api = await borrowTestApp()
  const fixed = aCampaign({ incentives: [anErc20Incentive(anAddress('asset')), anErc20Incentive(anAddress('asset'))] })
  const place = { type: 'AllowListIncentive', allowListAddress: anAddress('list'), limit: '1' }
  const both = aCampaign({ incentives: [place, anErc20Incentive(anAddress('asset'))] })
  await api.save(fixed, both, aCampaign({ incentives: [] }))
  expect(await found(api, 'incentiveType=erc20incentive')).toEqual([both.id, fixed.id])
  expect(await found(api, 'incentiveType=ALLOWLISTINCENTIVE,CGDAIncentive')).toEqual([both.id])
  expect(await found(api, 'incentiveType=PointsIncentive')).toEqual([])
  const sentence = await refused(api, '/campaigns?incentiveType=ERC20Incentiv')
  expect(sentence).toMatch(/^an entry of incentiveType must be one of AllowListIncentive, .*, got "ERC20Incentiv", /)
  expect(sentence).toMatch(/, did you mean ERC20Incentive\?$/)
})

test('actionType finds the action of a template without regard to case, also after it was replaced', async () => {
  await using api = await borrowTestApp()
  const template = anActionTemplate({ actionType: 'Swap ÄÖ' })
  const swapping = aCampaign({ actionTemplateId: template.id })
  await api.save(template, swapping, aCampaign())
  expect(await found(api, `actionType=${encodeURIComponent('swap äö')}`)).toEqual([swapping.id])
  for (const actionType of ['mint', 'bridge']) {
    await api.save({ ...template, actionType })
    expect(await found(api, `actionType=${actionType},none`)).toEqual([swapping.id])
    expect(await found(api, 'actionType=swap äö')).toEqual([])
  }
  expect(await found(api, 'actionType=mint')).toEqual([])
})

test('rewardToken finds what pays a token, and not what deals in it, on trending too', async () => {
  await using api = await borrowTestApp()
  const { address } = aToken()
  const paying = aCampaign({ id: `8453:${CORE}:1`, incentives: [anErc20Incentive(inUpperCase(address))] })
  const elsewhere = aCampaign({ id: `10:${CORE}:2`, incentives: [anErc20Incentive(address)] })
  const dealing = aCampaign({
    id: `8453:${CORE}:3`,
    actionToken: { chainId: 8453, address },
    incentives: [anErc20Incentive(anAddress('other'))],
  })
  const campaigns = [paying, elsewhere, dealing]
  const blockTimestamp = String(Math.floor(Date.now() / 1000) - 60)
  await api.save(...campaigns, ...campaigns.map((campaign) => aClaim(campaign, { blockTimestamp })))
  const query = `rewardToken=8453:${inUpperCase(address)}`
  expect(await found(api, query)).toEqual([paying.id])
  expect(await found(api, `${query},10:${address}`)).toEqual([elsewhere.id, paying.id])
  expect(await found(api, `${query}&tokens=10:${address}`)).toEqual([])
  const trending = await api.get(`/reward-kit/trending?tokenWhitelist=false&${query}`)
  expect(trending.json().trendingCampaigns.map(({ id }: { id: string }) => id)).toEqual([paying.id])
  expect(await refused(api, `/campaigns?rewardToken=${address}`)).toContain(
    'an entry of rewardToken must be <chainId>:<address>, got',
  )
})

test('trending has as many entries as pageSize says, the foremost', async () => {
  await using api = await borrowTestApp()
  const campaigns = ['3', '2', '1'].map((amountUsd) => ({
    amountUsd,
    campaign: aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] }),
  }))
  const blockTimestamp = String(Math.floor(Date.now() / 1000) - 60)
  await api.save(
    ...campaigns.map(({ campaign }) => campaign),
    ...campaigns.map(({ campaign, amountUsd }) => aClaim(campaign, { blockTimestamp, amountUsd })),
  )
  const ids = campaigns.map(({ campaign }) => campaign.id)
  const entries = async (query: string) => {
    const response = await api.get(`/reward-kit/trending?tokenWhitelist=false&${query}`)
    return response.json().trendingCampaigns.map(({ id }: { id: string }) => id)
  }
  expect(await entries('')).toEqual(ids)
  expect(await entries('pageSize=2')).toEqual(ids.slice(0, 2))
  expect(await entries('pageSize=0')).toEqual([])
  expect(await entries('pageSize=null')).toEqual(ids)
  expect(await refused(api, '/reward-kit/trending?pageSize=101')).toBe(
    'pageSize must be an integer from 0 to 100, got 101',
  )
})

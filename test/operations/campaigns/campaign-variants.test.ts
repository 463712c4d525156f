import { expect, test } from 'vitest'
import { contractOf } from '../../setup/documents/openapi.ts'
import { aCampaign, aClaim, anAddress, anIncentiveOfEachVariant, aStep, aToken } from '../../setup/records.ts'
import { borrowTestApp } from '../../setup/test-app.ts'

const FIGURES = ['claimedAmount', 'totalAmountClaimed', 'totalClaims', 'remainingBalance', 'rebatePercentage']
/** The variants with all they may have, and without each and all of it. */
const incentives = [[], ...FIGURES.map((figure) => [figure]), FIGURES].flatMap((left) =>
  anIncentiveOfEachVariant(anAddress).map((incentive) => ({
    ...Object.fromEntries(Object.entries(incentive).filter(([key]) => !left.includes(key))),
    type: incentive.type,
  })),
)
/** What JSON has to escape, and what looks like JSON. */
const text = '"\\/\b\f\n\r\t\u0001\u001f\u007f\u2028 {"isActive": true,  "é": [1, 2]} \u{1f600}'

test('campaigns of all variants and allow lists keep their schema, and the detail contains the list item', async () => {
  await using api = await borrowTestApp()
  const owner = anAddress('owner')
  const listed = (length: number) => Array.from({ length }, (_, index) => anAddress(`listed ${index}`))
  const allowLists = (['SimpleAllowList', 'SimpleDenyList', 'OpenAllowList', 'OffchainAccessList'] as const).flatMap(
    (type) => [0, 100, 101].map((length) => ({ owner, contractAddress: owner, type, addresses: listed(length) })),
  )
  const texts = { campaignName: text, templateId: text, nftName: text, nftMetadataId: text }
  const campaigns = [null, ...allowLists].map((allowList, index) =>
    aCampaign({ incentives, allowList, ...(index % 2 === 0 ? { ...texts, actionSteps: [aStep(owner)] } : {}) }),
  )
  const token = aToken({ address: anAddress('asset'), name: text, symbol: text, priceUsd: '1.5' })
  const claims = campaigns.slice(0, 3).map((campaign) => aClaim(campaign, { incentiveIndex: 12 }))
  await api.save(token, ...campaigns, ...claims)
  const contract = await contractOf(api)
  const page = (await api.get('/campaigns?pageSize=100&tokenWhitelist=false')).json()
  expect(contract.faultsOf('/campaigns', page)).toEqual([])
  expect(page.campaigns).toHaveLength(campaigns.length)
  for (const { allowList, actionSteps, ...common } of page.campaigns) {
    const detail = (await api.get(`/campaigns/${common.id}`)).json()
    expect(contract.faultsOf('/campaigns/{id}', detail)).toEqual([])
    const recorded = campaigns.find(({ id }) => id === common.id)?.allowList
    const addresses = [...(recorded?.addresses ?? [])].sort()
    expect(detail).toMatchObject({ ...common, actionSteps: actionSteps ?? [] })
    expect(detail.allowList).toEqual(
      recorded
        ? { ...recorded, addresses }
        : { owner: common.owner, contractAddress: `0x${'0'.repeat(40)}`, type: 'OpenAllowList', addresses: [] },
    )
    const shown = addresses.length === 0 || addresses.length > 100 ? null : addresses
    expect(allowList).toEqual(recorded ? { ...recorded, addresses: shown } : null)
    expect(common.incentives.map(({ type }: { type: string }) => type)).toEqual(incentives.map(({ type }) => type))
  }
})

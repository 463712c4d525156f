import { expect, test } from 'vitest'
import { openIngest } from '../../../src/ingest/batches.ts'
import { fillDocument, splitAtMarks } from '../../../src/read-models/campaign-documents/read.ts'
import { createTestDatabase } from '../../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, aToken } from '../../setup/records.ts'
import { borrowTestApp } from '../../setup/test-app.ts'

/*
 * A stored document has places for what changes without its record.
 */

const keepingNothing = { RESPONSE_CACHE_MB: '0' }
const token = aToken({ decimals: 6, priceUsd: '2' })
const shown = () => aCampaign({ incentives: [anErc20Incentive(token.address)] })

test('a campaign is shown as it is after a claim, a change of its token or its record, and when it ends', async () => {
  await using api = await borrowTestApp(keepingNothing)
  const campaign = { ...shown(), endTime: '2026-05-01T00:00:00.000Z' }
  await api.save(token, campaign)
  const ingest = await openIngest(api.database.url)
  api.setNow(new Date('2026-04-30T00:00:00.000Z'))
  const page = async () => (await api.get('/campaigns?tokenWhitelist=false')).json().campaigns[0]
  try {
    expect(await page()).toMatchObject({ isActive: true, availableBudgetUsd: '0.002' })
    await ingest.apply({ records: [aClaim(campaign, { amount: '7' })] })
    expect(await page()).toMatchObject({ incentives: [{ claimedAmount: '7', totalClaims: '1' }] })
    await ingest.apply({ records: [{ ...token, priceUsd: '3', symbol: 'NEW' }] })
    expect(await page()).toMatchObject({ availableBudgetUsd: '0.003', incentives: [{ metadata: { symbol: 'NEW' } }] })
    api.setNow(new Date('2026-05-01T00:00:00.000Z'))
    expect(await page()).toMatchObject({ isActive: false })
    await ingest.apply({ records: [{ ...campaign, campaignName: 'Another' }] })
    expect(await page()).toMatchObject({ campaignName: 'Another', incentives: [{ totalClaims: '1' }] })
  } finally {
    await ingest.close()
  }
})

test('each place of a document has its name, and one that is unknown or has no value is refused', async () => {
  await using database = await createTestDatabase()
  const allowList = { owner: token.address, contractAddress: token.address, type: 'SimpleDenyList' as const }
  const addresses = Array.from({ length: 101 }, (_, nth) => anAddress(`listed ${nth}`))
  const incentives = [anErc20Incentive(token.address), anErc20Incentive(anAddress('unknown'))]
  const campaign = aCampaign({
    incentives,
    actionSteps: [aStep(anAddress('target'))],
    allowList: { ...allowList, addresses },
  })
  const ingest = await openIngest(database.url)
  await ingest.apply({ records: [token, campaign] })
  await ingest.close()
  const [stored] = await database.query('select body, detail_allow_list from campaign_documents')
  const document = `${stored?.body}${stored?.detail_allow_list}`
  const places = splitAtMarks(document).filter((_, index) => index % 2 === 1)
  const tokenId = (address: string) => `${campaign.id.split(':')[0]}:${address}`
  expect(places.sort()).toEqual(
    [
      ...['isActive', 'availableBudgetUsd', 'addresses'],
      ...[0, 1].flatMap((place) => [`claimedAmount:${place}`, `claimedAmount:${place}`, `claimCount:${place}`]),
      ...[`token:${tokenId(token.address)}`, `token:${tokenId(anAddress('unknown'))}`],
    ].sort(),
  )
  const filled = fillDocument(document, (name, of) => `<${name}|${of}>`)
  expect(filled).toContain('"isActive":<isActive|>,"availableBudgetUsd":<availableBudgetUsd|>')
  expect(filled).toContain('"totalAmountClaimed":"<claimedAmount|1>","totalClaims":"<claimCount|1>"')
  expect(filled).toContain(`"metadata":<token|${tokenId(token.address)}>`)
  for (const place of ['unheard', '0', '', 'claimedAmount', 'toString']) {
    const refused = () =>
      fillDocument(`{\u0001${place}\u0001}`, (name, of) => (name === 'claimedAmount' && !of ? undefined : 'x'))
    expect(refused, place).toThrow(`a document has a placeholder without a value: ${place}`)
  }
})

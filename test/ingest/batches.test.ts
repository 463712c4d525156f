import { afterEach, expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { type Ingest, openIngest } from '../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import { rebuild } from '../../src/ingest/rebuild.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import type { Batch } from '../../src/ingest/staging/staged-batches.ts'
import {
  allOf,
  changesOf,
  createRandom,
  expectToAgree,
  type Facts,
  identityOf,
  lower,
  remember,
} from '../setup/data/derived-columns.ts'
import { generateSmallSample } from '../setup/data/small-sample.ts'
import { contentOf } from '../setup/data/stored-content.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import {
  aCampaign,
  aClaim,
  anAddress,
  anErc20Incentive,
  aStep,
  aToken,
  toClaimIdentity,
  toLowerCase,
} from '../setup/records.ts'
import { firstOf, repeated } from '../setup/repetitions.ts'

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

async function openTestIngest(): Promise<{ database: TestDatabase; ingest: Ingest }> {
  const database = await createTestDatabase()
  opened.push(database)
  const ingest = await openIngest(database.url)
  opened.push({ [Symbol.asyncDispose]: () => ingest.close() })
  return { database, ingest }
}

test.each(firstOf([1, 2, 3]))(
  'figures are what the records say, after batches that bring, replace and take back: %i',
  async (seed) => {
    const { database, ingest } = await openTestIngest()
    const random = createRandom(seed)
    const facts: Facts = new Map()
    async function apply(records: ImportRecord[], withdrawn: ImportRecord[] = []) {
      const claims = withdrawn.filter((record) => record.type === 'claim')
      const campaigns = withdrawn.filter((record) => record.type === 'campaign')
      const batch: Batch = {
        records: toLowerCase(records),
        revertedClaims: claims.map((claim) => ({ ...toClaimIdentity(claim), txHash: lower(claim.txHash) })),
        revertedCampaigns: campaigns.map(({ id }) => lower(id)),
      }
      await ingest.apply(batch)
      for (const record of withdrawn) facts.delete(identityOf(record))
      remember(facts, records)
    }
    await database.query('select advance_claim_windows()')
    await apply([...generateSmallSample({ campaigns: 40, claims: 500, seed, now: new Date() })])
    await expectToAgree(database, facts)
    for (let round = 0; round < repeated(4, 6); round += 1) {
      await expectToAgree(database, facts)
      const claims = allOf(facts, 'claim').filter(() => random() < 0.1)
      const campaigns = allOf(facts, 'campaign').filter(() => random() < 0.05)
      const isGone = new Set(campaigns.map(({ id }) => lower(id)))
      const theirs = allOf(facts, 'claim').filter(({ campaignId }) => isGone.has(lower(campaignId)))
      const isTheirs = (record: ImportRecord) =>
        (record.type === 'campaign' && isGone.has(lower(record.id))) ||
        ('campaignId' in record && isGone.has(lower(record.campaignId)))
      const signatures = allOf(facts, 'claimSignature').filter(isTheirs)
      const replacements = changesOf(facts, random).filter((record) => !isTheirs(record))
      await apply(replacements, [...claims, ...theirs, ...campaigns])
      for (const signature of signatures) facts.delete(identityOf(signature))
      await expectToAgree(database, facts)
    }
    await rebuild(database.url, { isOwnSchema: true, log: () => undefined })
    await expectToAgree(database, facts)
  },
)

test('what a batch has brought can be taken back, and everything is as it was', async () => {
  const { database, ingest } = await openTestIngest()
  await ingest.apply({
    records: toLowerCase([...generateSmallSample({ campaigns: 20, claims: 200, seed: 5, now: new Date() })]),
  })
  const before = await contentOf(database)
  const steps = [aStep(anAddress('new target'))]
  const campaign = aCampaign({ actionSteps: steps, incentives: [anErc20Incentive(anAddress('asset'))] })
  const claims = [aClaim(campaign), aClaim(campaign, { blockTimestamp: String(Math.floor(Date.now() / 1000)) })]
  await ingest.apply({ records: [campaign, ...claims] })
  expect(await contentOf(database)).not.toEqual(before)
  await ingest.apply({
    records: [],
    revertedClaims: claims.map(toClaimIdentity),
    revertedCampaigns: [campaign.id],
  })
  expect(await contentOf(database)).toEqual(before)
})

test('a claim that is withdrawn and comes again in the same batch is the one that comes', async () => {
  const { database, ingest } = await openTestIngest()
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  const claim = aClaim(campaign, { amount: '5' })
  await ingest.apply({ records: [campaign, claim] })
  await ingest.apply({ records: [{ ...claim, amount: '7' }], revertedClaims: [toClaimIdentity(claim)] })
  expect(await database.query('select amount from claims')).toEqual([{ amount: '7' }])
  expect(await database.query('select claim_count, claimed_amount from incentives')).toEqual([
    { claim_count: '1', claimed_amount: '7' },
  ])
})

test('a batch that refers to nothing changes nothing, and the next one is applied', async () => {
  const { database, ingest } = await openTestIngest()
  const [known, unknown] = [aCampaign(), aCampaign()]
  await ingest.apply({ records: [known] })
  const before = await contentOf(database)
  await expect(ingest.apply({ records: [aToken(), aClaim(unknown)] })).rejects.toThrow(
    `batch:2: /campaignId: refers to campaign ${unknown.id}, which is neither stored nor in the call`,
  )
  expect(await contentOf(database)).toEqual(before)
  await ingest.apply({ records: [unknown] })
  expect(await database.query('select count(*)::integer from campaigns')).toEqual([{ count: 2 }])
})

test('a campaign is not withdrawn from under its claims', async () => {
  const { database, ingest } = await openTestIngest()
  const campaign: CampaignRecord = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  const [first, second] = [aClaim(campaign), aClaim(campaign)]
  await ingest.apply({ records: [campaign, first, second] })
  const revertedCampaigns = [campaign.id]
  await expect(
    ingest.apply({ records: [], revertedCampaigns, revertedClaims: [toClaimIdentity(first)] }),
  ).rejects.toThrow(`batch:1: /id: campaign ${campaign.id} still has claims`)
  expect(await database.query('select count(*)::integer from claims')).toEqual([{ count: 2 }])
})

test('an incentive whose figures alone have changed is as if its campaign had been replaced', async () => {
  const replacing = await openTestIngest()
  const refiguring = await openTestIngest()
  const assets = [anAddress('first asset'), anAddress('second asset')]
  const incentives = assets.map((asset) => anErc20Incentive(asset, { limit: '5' }))
  const campaign = aCampaign({ incentives, actionSteps: [aStep(anAddress('target'))] })
  const claim = aClaim(campaign, { incentiveIndex: 1 })
  const spent = incentives.map((incentive) => ({ ...incentive, limit: '0', remainingBalance: '0', totalClaims: '' }))
  const another = aCampaign()
  for (const { ingest } of [replacing, refiguring]) await ingest.apply({ records: [campaign, another] })
  await replacing.ingest.apply({ records: [{ ...campaign, incentives: spent }, claim] })
  const changed = spent.map((definition, position) => ({ campaignId: campaign.id, position, definition }))
  await refiguring.ingest.apply({ records: [claim], incentives: changed })
  const [row] = await refiguring.database.query('select is_exhausted from campaigns order by key limit 1')
  expect(row).toEqual({ is_exhausted: true })
  const [content, expected] = [await contentOf(refiguring.database), await contentOf(replacing.database)]
  expect(content).toEqual(expected)
})

test('incentives keep the places that they are given, and claims are on those', async () => {
  const { database, ingest } = await openTestIngest()
  const incentives = ['first', 'third'].map((asset) => anErc20Incentive(anAddress(asset)))
  const campaign = { ...aCampaign({ incentives }), incentivePositions: [0, 2] }
  await ingest.apply({ records: [campaign, aClaim(campaign, { incentiveIndex: 2 })] })
  const stored = () => database.query('select position, asset, claim_count from incentives order by position')
  const [first, third] = [
    { position: 0, asset: anAddress('first'), claim_count: '0' },
    { position: 2, asset: anAddress('third'), claim_count: '1' },
  ]
  expect(await stored()).toEqual([first, third])
  await expect(ingest.apply({ records: [aClaim(campaign, { incentiveIndex: 1 })] })).rejects.toThrow(
    'refers to incentive 1, which the campaign does not have',
  )
  await ingest.apply({ records: [{ type: 'campaignMetadata', id: campaign.id, campaignName: 'Named' }] })
  expect(await stored()).toEqual([first, third])
})

test('each batch is a revision, without gaps, and with an epoch of its own', async () => {
  const { database, ingest } = await openTestIngest()
  const version = async () => {
    const [row] = await database.query('select revision, epoch from data_versions order by revision desc limit 1')
    return { revision: Number(row?.revision), epoch: String(row?.epoch) }
  }
  const first = await version()
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  await ingest.apply({ records: [campaign] })
  await expect(ingest.apply({ records: [aClaim(aCampaign())] })).rejects.toThrow()
  await ingest.apply({ records: [aClaim(campaign)] })
  const last = await version()
  expect(last.revision).toBe(first.revision + 2)
  expect(last.epoch).not.toBe(first.epoch)
})

test('claims that are stored as they are take no revision, however they come, nor do unknown ones that are withdrawn', async () => {
  const { database, ingest } = await openTestIngest()
  const campaign: CampaignRecord = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  const claims = Array.from({ length: 300 }, (_, index) =>
    aClaim(campaign, { claimant: anAddress(`claimant ${index}`) }),
  )
  const [first, ...others] = toLowerCase(claims).filter((record) => record.type === 'claim')
  if (first === undefined) throw new Error('no claim')
  await ingest.apply({ records: toLowerCase([campaign]) })
  await ingest.apply({ records: [first, ...others] })
  const states = () => database.query('select revision, epoch from data_versions order by revision')
  const before = await states()
  await ingest.apply({ records: [first] })
  await ingest.apply({ records: [first, ...others] })
  await importRecords(database.url, [toRecordSource('claims', claims)])
  await ingest.apply({ records: [], revertedClaims: [{ ...toClaimIdentity(first), logIndex: 7 }] })
  expect(await states()).toEqual(before)
  await ingest.apply({ records: [{ ...first, amount: '2' }] })
  expect(await states()).toHaveLength(before.length + 1)
})

import { afterEach, expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { readRecord } from '../../src/import/record-reader.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import type { CampaignMetadataRecord, CampaignRecord } from '../../src/ingest/campaign-records.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { createRandom, type Random, randomBatch } from '../setup/data/random-records.ts'
import { contentOf } from '../setup/data/stored-content.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, anAccessList, anActionTemplate, anAddress, inUpperCase } from '../setup/records.ts'
import { firstOf, repeated } from '../setup/repetitions.ts'

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

async function openPool() {
  const database = await createTestDatabase()
  opened.push(database)
  return database
}

const save = (database: TestDatabase, ...records: ImportRecord[]) =>
  importRecords(database.url, [toRecordSource('records', records)])

/** A record as files and blocks bring it: its addresses are lower-case. */
function asRead(record: ImportRecord): ImportRecord {
  const result = readRecord(Buffer.from(JSON.stringify(record)))
  if (result === undefined || !('record' in result)) throw new Error(`not a record: ${JSON.stringify(result)}`)
  return result.record
}

/** In batches, as an indexer does. */
async function apply(database: TestDatabase, records: ImportRecord[]) {
  const ingest = await openIngest(database.url)
  try {
    await ingest.apply({ records: records.map(asRead) })
  } finally {
    await ingest.close()
  }
}

const contentWithoutMetadata = async (database: TestDatabase) => {
  const { campaign_metadata: _, ...content } = await contentOf(database)
  return content
}

/** What a campaign's own record would have to say for there to be no need of metadata. */
function merge(campaign: CampaignRecord, metadata: CampaignMetadataRecord | undefined): CampaignRecord {
  if (metadata === undefined) return campaign
  const { type: _, id: __, accessListId, allowListAddresses, ...rest } = metadata
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== undefined))
  const { allowList } = campaign
  if (allowList == null) return { ...campaign, ...given }
  const list =
    allowList.type === 'OffchainAccessList'
      ? { accessListId: accessListId ?? allowList.accessListId }
      : allowList.type === 'OpenAllowList'
        ? {}
        : { addresses: allowListAddresses ?? allowList.addresses }
  const known = Object.fromEntries(Object.entries(list).filter(([, value]) => value !== undefined))
  return { ...campaign, ...given, allowList: { ...allowList, ...known } }
}

const reference = ({ pick }: Random) =>
  pick([null, undefined, { chainId: 10, address: anAddress('asset 1') }, { chainId: 9, address: anAddress('other') }])

function randomMetadata(id: string, templateIds: string[], random: Random): CampaignMetadataRecord {
  const { pick, some } = random
  const text = (value: string) => pick([undefined, undefined, null, '', value])
  const instants = [undefined, null, '2025-01-01T00:00:00.500Z', '2099-01-01T01:00:00Z']
  const parts = {
    creator: pick([undefined, null, inUpperCase(anAddress('creator'))]),
    campaignName: text('chosen name'),
    templateId: text('chosen template'),
    actionTemplateId: pick([undefined, null, ...templateIds]),
    customAction: pick([undefined, true, false]),
    nftImageUri: text('https://chosen.example/nft.png'),
    nftName: text('chosen NFT'),
    nftMetadataId: text('chosen metadata'),
    projectImageUri: text('https://chosen.example/project.png'),
    projectUrl: text('https://chosen.example'),
    tokenImageUri: text('https://chosen.example/token.png'),
    startTime: pick(instants),
    endTime: pick(instants),
    verificationLevel: text('chosen level'),
    distributionChannels: pick([undefined, null, [], ['Chosen'], ['Public', 'Zürich']]),
    autocampaignId: pick([undefined, null, 'chosen']),
    actionToken: reference(random),
    nftCollection: reference(random),
    accessListId: pick([undefined, null, 'list A', 'list a']),
    allowListAddresses: pick([undefined, null, [], some([1, 2, 3], 0.7).map((each) => anAddress(`listed ${each}`))]),
  }
  const given = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))
  return { type: 'campaignMetadata', id, ...given }
}

test.each(firstOf([1, 2]))(
  'metadata and campaigns come in any order, again and again, and what is stored is what one record would have said: %i',
  async (seed) => {
    const random = createRandom(seed)
    const [database, expected] = [await openPool(), await openPool()]
    const facts: ImportRecord[] = []
    const metadata = new Map<string, CampaignMetadataRecord>()
    for (let round = 0; round < repeated(3, 4); round += 1) {
      const batch = randomBatch(facts, 1_750_000_000, random)
      facts.push(...batch)
      const templateIds = facts.flatMap((record) => (record.type === 'actionTemplate' ? [record.id] : []))
      // Of campaigns of earlier batches, of this one, and of some that never come.
      const ids = [...facts.flatMap((record) => (record.type === 'campaign' ? [record.id] : [])), aCampaign().id]
      const chosen = random.some(ids, 0.4).map((id) => randomMetadata(id, templateIds, random))
      const own = new Map(chosen.map((record) => [record.id.toLowerCase(), record]))
      for (const [id, record] of own) metadata.set(id, record)
      const parts = random.pick([[[...batch, ...own.values()]], [batch, [...own.values()]]])
      for (const part of parts) await (random.chance(0.5) ? save(database, ...part) : apply(database, part))

      const campaigns = new Map(
        facts.flatMap((record) => (record.type === 'campaign' ? [[record.id.toLowerCase(), record] as const] : [])),
      )
      const merged = [...campaigns].map(([id, campaign]) => merge(campaign, metadata.get(id)))
      await save(expected, ...batch.filter(({ type }) => type !== 'campaign'), ...merged)
      expect(await contentWithoutMetadata(database)).toEqual(await contentWithoutMetadata(expected))
    }
  },
)

test('a key that newer metadata leaves out is what the campaign says again', async () => {
  const database = await openPool()
  const campaign = aCampaign({ campaignName: 'own', customAction: true })
  const template = anActionTemplate()
  const chosen = { type: 'campaignMetadata', id: campaign.id } as const
  const named = () => database.query('select campaign_name, uses_template_as_is from campaigns')
  await save(database, template, { ...chosen, campaignName: 'chosen', actionTemplateId: template.id })
  await save(database, campaign)
  expect(await named()).toEqual([{ campaign_name: 'chosen', uses_template_as_is: false }])
  await apply(database, [{ ...chosen, actionTemplateId: template.id, customAction: false }])
  expect(await named()).toEqual([{ campaign_name: 'own', uses_template_as_is: true }])
  await apply(database, [{ ...campaign, campaignName: 'renamed' }])
  expect(await named()).toEqual([{ campaign_name: 'renamed', uses_template_as_is: true }])
  await apply(database, [chosen])
  expect(await named()).toEqual([{ campaign_name: 'renamed', uses_template_as_is: false }])
})

test('the same metadata again writes nothing', async () => {
  const database = await openPool()
  const campaign = aCampaign()
  const chosen: ImportRecord = { type: 'campaignMetadata', id: campaign.id, campaignName: 'chosen' }
  await save(database, campaign, chosen)
  const versions = () =>
    database.query('select id, xmin::text from campaigns union all select id, xmin::text from campaign_metadata')
  const before = await versions()
  await apply(database, [{ ...chosen, nftName: null }])
  await save(database, chosen)
  expect(await versions()).toEqual(before)
})

test('metadata that refers to what is not there is a fault, whether its campaign is there or not', async () => {
  const database = await openPool()
  const campaign = aCampaign()
  await save(database, campaign, anAccessList({ id: 'known' }))
  const attempt = save(
    database,
    { type: 'campaignMetadata', id: campaign.id, actionTemplateId: '00000000-0000-4000-8000-0000000000aa' },
    { type: 'campaignMetadata', id: aCampaign().id, accessListId: 'unknown' },
    { type: 'campaignMetadata', id: aCampaign().id, accessListId: 'known' },
  )
  await expect(attempt).rejects.toMatchObject({
    faults: {
      count: 2,
      reported: [
        { line: 1, pointer: '/actionTemplateId' },
        { line: 2, pointer: '/accessListId' },
      ],
    },
  })
  expect(await database.query('select from campaign_metadata')).toEqual([])
})

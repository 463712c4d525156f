import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { type ImportRecord, type RemovalRecord, recordTypes } from '../../src/ingest/records.ts'
import { createRandom, randomBatch } from '../setup/data/random-records.ts'
import { contentOf } from '../setup/data/stored-content.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import {
  aCampaign,
  aClaim,
  aClaimProof,
  anAccessList,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  aProfile,
  aStep,
  aTimeBasedIncentive,
  aToken,
  toRemoval,
} from '../setup/records.ts'
import { latestOf } from '../setup/second-opinion/second-opinion.ts'

const save = (database: TestDatabase, ...records: (ImportRecord | RemovalRecord)[]) =>
  importRecords(database.url, [toRecordSource('records', records)])

async function faultsOf(database: TestDatabase, ...records: (ImportRecord | RemovalRecord)[]) {
  return save(database, ...records).then(
    () => [],
    (error: Error) => error.message.split('\n').slice(0, -1),
  )
}

const asset = anAddress('removed asset')
const template = anActionTemplate()
const list = anAccessList({ members: [anAddress('member')] })
const token = aToken({ address: asset, decimals: 6 })
const price: ImportRecord = {
  type: 'tokenPrice',
  chainId: 8453,
  address: asset,
  at: '2025-01-01T00:00:00Z',
  priceUsd: '2',
}
const contract: ImportRecord = { type: 'contract', chainId: 8453, address: anAddress('removed target'), name: 'Target' }
const campaign = aCampaign({
  actionTemplateId: template.id,
  incentives: [anErc20Incentive(asset)],
  actionSteps: [aStep(contract.address)],
  allowList: {
    owner: anAddress('owner'),
    contractAddress: anAddress('list'),
    type: 'OffchainAccessList',
    accessListId: list.id,
  },
})
const metadata: ImportRecord = { type: 'campaignMetadata', id: campaign.id, campaignName: 'Chosen' }
const claim = aClaim(campaign, { amount: '1000000' })
const signature: ImportRecord = {
  type: 'claimSignature',
  campaignId: campaign.id,
  incentiveId: 0,
  claimant: anAddress('signed'),
  signature: '0x01',
  referrer: anAddress('referrer'),
}
const profile = aProfile()
const proven = aCampaign({ incentives: [aTimeBasedIncentive(asset)] })
const proof = aClaimProof(proven, anAddress('proven'))
const everything = [
  ...[token, price, contract, template, list, campaign, metadata, claim, signature, proven, proof, profile],
]

/** Without what a token leaves behind that once had a price. */
const contentWithoutKeys = async (database: TestDatabase) => ({ ...(await contentOf(database)), priced_tokens: [] })

test('all that a file brought can be taken back, in any order, and nothing is left of it', async () => {
  await using database = await createTestDatabase()
  const empty = await contentWithoutKeys(database)
  await save(database, ...everything)
  for (const removals of [everything, everything.toReversed()].map((records) => records.map(toRemoval))) {
    await save(database, ...everything)
    const { records } = await save(database, ...removals)
    expect(records).toMatchObject({ campaign: 0, claim: 0, removal: everything.length })
    expect(await contentWithoutKeys(database)).toEqual(empty)
    // What is not there is removed without an effect.
    await save(database, ...removals)
    expect(await contentWithoutKeys(database)).toEqual(empty)
  }
})

test('what is derived after removals is what an import of the rest derives', async () => {
  const random = createRandom(5)
  const batch = randomBatch([], 1_760_000_000, random).filter(({ type }) => type !== 'token')
  const tokens = new Map<string, ImportRecord[]>()
  for (const record of batch) {
    if (record.type !== 'campaign') continue
    const chainId = Number(record.id.split(':')[0])
    for (const incentive of record.incentives) {
      const address = 'asset' in incentive ? String(incentive.asset).toLowerCase() : undefined
      if (address === undefined) continue
      tokens.set(`${chainId}:${address}`, [
        aToken({ chainId, address, decimals: 2, whitelisted: random.chance(0.7) }),
        { type: 'tokenPrice', chainId, address, at: '2025-01-01T00:00:00Z', priceUsd: '1.5' },
        { type: 'tokenPrice', chainId, address, at: '2025-10-08T00:00:00Z', priceUsd: '3' },
      ])
    }
  }
  const facts = latestOf([...batch, ...[...tokens.values()].flat()])
  const gone = new Set(facts.filter(({ type }) => type === 'campaign').filter(() => random.chance(0.3)))
  const ids = new Set([...gone].map((record) => 'id' in record && record.id.toLowerCase()))
  const isRemoved = (record: ImportRecord) =>
    record.type === 'campaign' || record.type === 'actionTemplate' || record.type === 'accessList'
      ? gone.has(record)
      : ('campaignId' in record && ids.has(record.campaignId.toLowerCase())) || random.chance(0.3)
  const removed = facts.filter(isRemoved)
  const rest = facts.filter((record) => !removed.includes(record))
  await using database = await createTestDatabase()
  await using other = await createTestDatabase()
  await save(database, ...facts)
  await save(database, ...random.shuffled(removed).map(toRemoval))
  await save(other, ...rest)
  expect(removed.length).toBeGreaterThan(100)
  expect(await contentWithoutKeys(database)).toEqual(await contentWithoutKeys(other))
})

test('of a record and its removal in a call the later one counts', async () => {
  await using database = await createTestDatabase()
  await using expected = await createTestDatabase()
  await save(database, ...everything)
  await save(database, ...everything.map(toRemoval), ...everything)
  await save(expected, ...everything)
  const [stored, whole] = [await contentWithoutKeys(database), await contentWithoutKeys(expected)]
  expect(stored).toEqual(whole)
  await save(database, ...everything, toRemoval(profile))
  expect(await contentWithoutKeys(database)).toEqual({ ...whole, profiles: [], profile_score_counts: [] })
})

test('a template to which metadata refers, in whatever case, cannot be removed before its campaign comes', async () => {
  await using database = await createTestDatabase()
  const named = aCampaign()
  const lettered = { ...template, id: 'abcdefab-0000-4000-8000-abcdefabcdef' }
  const actionTemplateId = lettered.id.toUpperCase()
  await save(database, lettered, { type: 'campaignMetadata', id: named.id, actionTemplateId })
  expect(await faultsOf(database, toRemoval(lettered))).toEqual(['records:1: /id: is still referred to by a campaign'])
  await save(database, named)
})

test('what something else refers to, and what a followed chain tells, cannot be removed', async () => {
  await using database = await createTestDatabase()
  await save(database, ...everything)
  const stored = await contentWithoutKeys(database)
  expect(await faultsOf(database, toRemoval(template), toRemoval(list))).toEqual([
    'records:1: /id: is still referred to by a campaign',
  ])
  expect(await faultsOf(database, toRemoval(list))).toEqual(['records:1: /id: is still referred to by a campaign'])
  expect(await faultsOf(database, toRemoval(campaign), toRemoval(signature))).toEqual([
    `records:1: /id: campaign ${campaign.id} still has claims`,
  ])
  expect(await faultsOf(database, toRemoval(claim), toRemoval(campaign))).toEqual([
    `records:2: /id: campaign ${campaign.id} still has signatures`,
  ])
  // Its claim is replaced by one that would be left alone.
  expect(await faultsOf(database, toRemoval(campaign), toRemoval(signature), { ...claim, amount: '7' })).toEqual([
    `records:3: /campaignId: refers to campaign ${campaign.id}, which is neither stored nor in the call`,
  ])
  expect(
    await faultsOf(database, { type: 'removal', of: 'campaign' }, { type: 'removal', of: 'nothing' as 'claim' }, {
      type: 'removal',
    } as RemovalRecord),
  ).toEqual([
    'records:1: /id: is required',
    `records:2: /of: must be one of ${recordTypes.join(', ')}, got "nothing"`,
    `records:3: /of: is required, one of ${recordTypes.join(', ')}`,
  ])
  // A chain may name more than one list, also to leave out their members.
  for (const column of ['allowed_list_ids', 'denied_list_ids']) {
    const named = anAccessList({ members: [] })
    await save(database, named)
    await database.query(`update allow_lists set ${column} = array[$1]`, [named.id])
    expect(await faultsOf(database, toRemoval(named))).toEqual(['records:1: /id: is still referred to by a campaign'])
    await database.query(`update allow_lists set ${column} = default`)
    await save(database, toRemoval(named))
  }
  // Metadata may name what its campaign will need.
  const later = anActionTemplate()
  await save(database, later, { type: 'campaignMetadata', id: aCampaign().id, actionTemplateId: later.id })
  expect(await faultsOf(database, toRemoval(later))).toEqual(['records:1: /id: is still referred to by a campaign'])
  expect({ ...(await contentWithoutKeys(database)), action_templates: 0, campaign_metadata: 0 }).toEqual({
    ...stored,
    action_templates: 0,
    campaign_metadata: 0,
  })
  await database.query(
    `insert into followed_chains (chain_id, cores, start_block, back_filled_to) values (8453, '{}', 1, 1)`,
  )
  await database.query('update tokens set is_imported = false')
  const followed = 'is of chain 8453, which is followed by index and not imported'
  expect(await faultsOf(database, ...[claim, token, campaign, signature].map(toRemoval))).toEqual([
    expect.stringContaining(`records:1: /chainId: ${followed}`),
    expect.stringContaining(`records:2: /address: ${followed}`),
    expect.stringContaining(`records:3: /id: ${followed}`),
  ])
  await save(database, ...[metadata, signature].map(toRemoval))
})

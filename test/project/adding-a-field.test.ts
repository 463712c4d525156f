import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { copySources, filesOf, filesToldOf, type Recipe } from '../setup/documents/copied-sources.ts'
import { aCampaign } from '../setup/records.ts'

/** What is written by hand for a field of campaigns that lists show: in which file, before what. */
const recipe: Recipe = [
  [
    'src/database/tables/campaigns.ts',
    '    startAt: instant(),\n',
    '    opensAt: instant(),\n    supportUrl: text(),\n',
  ],
  [
    'src/database/campaign-fields.ts',
    '  startTime: {\n',
    `  opensAt: { record: optionalInstant('When the page opens.'), detail: refOrNull(Instant, 'When the page opens.') },
  supportUrl: { record: optionalText('URL of help.'), list: stringOrNull('URL of help; null if unknown.') },
`,
  ],
]

/** What its migration does: `recipes.deep.test.ts` has one made. */
const migration = 'alter table campaigns add column opens_at timestamptz(3), add column support_url text'

test('a field of campaigns is added in two files, and shown in the examples, as CONTRIBUTING says', async () => {
  expect(await filesToldOf('A field of campaigns.')).toEqual([
    ...filesOf(recipe),
    'src/features/campaigns/campaign-examples.json',
  ])
})

test('a field that was added so is imported, laid over by metadata, shown, selected, exported, and documented', async () => {
  await using copy = await copySources(recipe)
  await using database = await createTestDatabase()
  await database.query(migration)
  const { startTestApp } = await copy.load<typeof import('../setup/test-app.ts')>('test/setup/test-app.ts')
  const { save: _, ...unsaved } = database
  await using api = await startTestApp({}, unsaved)
  const json = async (path: string) => {
    const response = await api.get(path)
    expect(response.statusCode, response.body).toBe(200)
    return response.json()
  }
  const said = { supportUrl: 'https://help.example', opensAt: '2025-01-01T00:00:00Z' }
  const [campaign, without] = [aCampaign(), aCampaign()]
  await api.save({ ...campaign, ...said }, without)

  const shown = { supportUrl: said.supportUrl, opensAt: '2025-01-01T00:00:00.000Z' }
  const none = { supportUrl: null, opensAt: null }
  expect(await json(`/campaigns/${campaign.id}`)).toMatchObject(shown)
  expect(await json(`/campaigns/${without.id}?fields=id,supportUrl,opensAt`)).toEqual({ id: without.id, ...none })
  const { campaigns } = await json('/campaigns?tokenWhitelist=false&fields=id,supportUrl')
  expect(campaigns).toEqual([
    { id: without.id, supportUrl: null },
    { id: campaign.id, supportUrl: said.supportUrl },
  ])

  const metadata = { type: 'campaignMetadata', id: campaign.id, supportUrl: 'https://other.example' } as const
  await api.save(metadata)
  expect(await json(`/campaigns/${campaign.id}`)).toMatchObject({ ...shown, supportUrl: metadata.supportUrl })
  await api.save({ ...campaign, opensAt: '2026-01-01T00:00:00Z' } as typeof campaign)
  const changed = { supportUrl: metadata.supportUrl, opensAt: '2026-01-01T00:00:00.000Z' }
  expect(await json(`/campaigns/${campaign.id}`)).toMatchObject(changed)

  const exported = (await api.get('/export/campaigns')).body.trim().split('\n')
  expect(exported.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ id: campaign.id, ...changed }),
    expect.objectContaining({ id: without.id, ...none }),
  ])
  // What lists and details share is a component of its own.
  const { components, paths } = await json('/openapi.json')
  const { CampaignBase, CampaignDetail } = components.schemas
  expect(
    [CampaignBase, CampaignDetail].map(({ properties }) => Object.keys(properties).filter((name) => name in shown)),
  ).toEqual([['supportUrl'], ['opensAt']])
  const examples = JSON.stringify(paths['/campaigns/{id}'].get.responses['200'].content['application/json'].examples)
  for (const name of Object.keys(none)) expect(examples).toContain(`"${name}":null`)
})

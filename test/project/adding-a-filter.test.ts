import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { copySources, filesOf, filesToldOf, type Recipe } from '../setup/documents/copied-sources.ts'
import { aCampaign, anAddress } from '../setup/records.ts'

/** What is written by hand for a filter of the list, here by the contract of its action: in which file, before what. */
const recipe: Recipe = [
  [
    'src/features/campaigns/campaign-schemas.ts',
    'import { component, inline, listOf,',
    "import { Address as ActionAddress } from '../../schemas/primitives.ts'\n",
  ],
  [
    'src/features/campaigns/campaign-schemas.ts',
    '    sortBy: choice([',
    `    action: Type.Optional(inline(ActionAddress, { description: 'Campaigns whose action is this contract.' })),\n`,
  ],
  [
    'src/read-models/campaign-index/column-filters.ts',
    '} satisfies Record<string, ColumnFilter>',
    `  action: { kind: 'acting', column: 'action' },\n`,
  ],
]

test('a filter of the list is added in two files, those that CONTRIBUTING names', async () => {
  expect(filesOf(recipe).length).toBeLessThanOrEqual(2)
  expect(await filesToldOf('A filter of the list.')).toEqual(filesOf(recipe))
})

test('a filter that was added so is checked, finds campaigns, and combines with the others', async () => {
  await using copy = await copySources(recipe)
  await using database = await createTestDatabase()
  const { startTestApp } = await copy.load<typeof import('../setup/test-app.ts')>('test/setup/test-app.ts')
  await using api = await startTestApp({}, database)
  const [action, owner] = [anAddress('what is done'), anAddress('one who owns')]
  const signed = aCampaign({ action, owner })
  await api.save(signed, aCampaign({ action }), aCampaign({ owner }), aCampaign())

  const idsOf = async (query: string) => {
    const response = await api.get(`/campaigns?tokenWhitelist=false&${query}`)
    expect(response.statusCode, response.body).toBe(200)
    return response.json().campaigns.map(({ id }: { id: string }) => id)
  }
  expect(await idsOf(`action=${action.toUpperCase().replace('X', 'x')}`)).toHaveLength(2)
  expect(await idsOf(`action=${action}&owner=${owner}`)).toEqual([signed.id])
  expect(await idsOf(`action=${anAddress('nobody')}`)).toEqual([])
  const explained = await api.get(`/campaigns?tokenWhitelist=false&action=${anAddress('nobody')}&explain=${signed.id}`)
  expect(explained.json().explained.failed).toEqual([
    { parameter: 'action', required: anAddress('nobody'), actual: action },
  ])
  const refused = await api.get('/campaigns?action=nobody')
  expect(refused.statusCode).toBe(400)
  expect(refused.json().error).toContain('action must be an address')
})

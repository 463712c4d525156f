import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { copySources, filesOf, filesToldOf, type Recipe } from '../setup/documents/copied-sources.ts'
import { aCampaign, anAddress } from '../setup/records.ts'

/** What is written by hand for a filter of the list, here by the account that signs claims: in which file, before what. */
const recipe: Recipe = [
  [
    'src/features/campaigns/campaign-schemas.ts',
    'import { component, inline, listOf,',
    "import { Address } from '../../schemas/primitives.ts'\n",
  ],
  [
    'src/features/campaigns/campaign-schemas.ts',
    '    sortBy: choice([',
    `    validator: Type.Optional(inline(Address, { description: 'Campaigns whose claims this account signs.' })),\n`,
  ],
  [
    'src/read-models/campaign-index/column-filters.ts',
    '} satisfies Record<string, ColumnFilter>',
    `  validator: { kind: 'validator', column: 'validator' },\n`,
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
  const [validator, owner] = [anAddress('one who signs'), anAddress('one who owns')]
  const signed = aCampaign({ validator, owner })
  await api.save(signed, aCampaign({ validator }), aCampaign({ owner }), aCampaign())

  const idsOf = async (query: string) => {
    const response = await api.get(`/campaigns?tokenWhitelist=false&${query}`)
    expect(response.statusCode, response.body).toBe(200)
    return response.json().campaigns.map(({ id }: { id: string }) => id)
  }
  expect(await idsOf(`validator=${validator.toUpperCase().replace('X', 'x')}`)).toHaveLength(2)
  expect(await idsOf(`validator=${validator}&owner=${owner}`)).toEqual([signed.id])
  expect(await idsOf(`validator=${anAddress('nobody')}`)).toEqual([])
  const explained = await api.get(
    `/campaigns?tokenWhitelist=false&validator=${anAddress('nobody')}&explain=${signed.id}`,
  )
  expect(explained.json().explained.failed).toEqual([
    { parameter: 'validator', required: anAddress('nobody'), actual: validator },
  ])
  const refused = await api.get('/campaigns?validator=nobody')
  expect(refused.statusCode).toBe(400)
  expect(refused.json().error).toContain('validator must be an address')
})

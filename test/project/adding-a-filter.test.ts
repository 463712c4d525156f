import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { copySources, filesOf, filesToldOf, type Recipe } from '../setup/documents/copied-sources.ts'
import { aCampaign, anAddress, anErc20Incentive } from '../setup/records.ts'

/** What is written by hand for filters of the list, here by the contract of the action and by the name: in which file, before what. */
const recipe: Recipe = [
  [
    'src/features/campaigns/campaign-schemas.ts',
    'import { component, inline, listOf,',
    "import { optionalName as named } from '../../schemas/parameters/query-values.ts'\nimport { Address as ActionAddress } from '../../schemas/primitives.ts'\n",
  ],
  [
    'src/features/campaigns/campaign-schemas.ts',
    '    sortBy: choice([',
    `    action: Type.Optional(inline(ActionAddress, { description: 'Campaigns whose action is this contract.' })),\n    campaignName: named({ description: 'Campaigns of this name.' }),\n`,
  ],
  [
    'src/read-models/campaign-index/column-filters.ts',
    '} satisfies Record<string, ColumnFilter>',
    `  action: { kind: 'acting', column: 'action', values: 'addresses' },\n  campaignName: { kind: 'called', column: 'campaignName', values: 'texts' },\n`,
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
  // All that could be taken for more than the value.
  const names = ['Überfall "', '"', 'a\\', 'a\u001fwhitelisted ', '']
  const named = names.map((campaignName) =>
    aCampaign({ campaignName, incentives: [anErc20Incentive(anAddress('unknown token'))] }),
  )
  await api.save(signed, aCampaign({ action }), aCampaign({ owner }), aCampaign(), ...named)

  const idsOf = async (query: string) => {
    const response = await api.get(`/campaigns?tokenWhitelist=false&${query}`)
    expect(response.statusCode, response.body).toBe(200)
    return response.json().campaigns.map(({ id }: { id: string }) => id)
  }
  expect(await idsOf(`action=${action.toUpperCase().replace('X', 'x')}`)).toHaveLength(2)
  expect(await idsOf(`action=${action}&owner=${owner}`)).toEqual([signed.id])
  expect(await idsOf(`action=${anAddress('nobody')}`)).toEqual([])
  for (const [index, name] of names.slice(0, -1).entries()) {
    expect(await idsOf(`campaignName=${encodeURIComponent(name.toUpperCase())}`)).toEqual([named[index]?.id])
  }
  const listed = (await api.get('/campaigns')).json().campaigns.map(({ id }: { id: string }) => id)
  expect(listed).toContain(signed.id)
  for (const { id } of named) expect(listed, 'no name says that a token is whitelisted').not.toContain(id)
  const explained = await api.get(`/campaigns?tokenWhitelist=false&action=${anAddress('nobody')}&explain=${signed.id}`)
  expect(explained.json().explained.failed).toEqual([
    { parameter: 'action', required: anAddress('nobody'), actual: action },
  ])
  const refused = await api.get('/campaigns?action=nobody')
  expect(refused.statusCode).toBe(400)
  expect(refused.json().error).toContain('action must be an address')
})

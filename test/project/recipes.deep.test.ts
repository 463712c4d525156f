import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AppliedChanges } from '../../src/database/migrate-database.ts'
import { aPayload } from '../setup/data/payloads.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { copySources, filesOf, filesToldOf, type Recipe } from '../setup/documents/copied-sources.ts'
import { aCampaign, aClaim, anAddress, aStep, aToken } from '../setup/records.ts'
import type { TestApp } from '../setup/test-app.ts'

/*
 * Recipes of CONTRIBUTING, done to one copy of the sources, which takes long to load. That of a filter has a file of its own.
 */

const root = join(import.meta.dirname, '../..')

const now = Math.floor(Date.now() / 1000)

let copy: Awaited<ReturnType<typeof copySources>>
let database: TestDatabase
/** The app of the copy, which also saves by its sources. */
let api: TestApp
/** What the migration does that was generated. */
let statements: string[]
/** How many migrations are applied at once, and once more. */
let applied: AppliedChanges[]

beforeAll(async () => {
  copy = await copySources([...operation, ...readModel, ...variant, ...column, ...setting])
  statements = (await generateMigration(copy.folder, 'follow-recipes')).split('--> statement-breakpoint\n')
  database = await createTestDatabase()
  const { migrateDatabase } = await copy.load<typeof import('../../src/database/migrate-database.ts')>(
    'src/database/migrate-database.ts',
  )
  applied = [await migrateDatabase(database.url), await migrateDatabase(database.url)]
  const { startTestApp } = await copy.load<typeof import('../setup/test-app.ts')>('test/setup/test-app.ts')
  const { save: _, ...unsaved } = database
  api = await startTestApp({}, unsaved)
}, 120_000)
afterAll(async () => {
  await api?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
  await copy?.[Symbol.asyncDispose]()
})

/** Makes the migration of a copy; returns its SQL. */
async function generateMigration(folder: string, name: string) {
  const before = await readdir(join(folder, 'migrations'))
  const program = join(root, 'node_modules/drizzle-kit/bin.cjs')
  await promisify(execFile)(process.execPath, [program, 'generate', '--name', name], { cwd: folder })
  const made = (await readdir(join(folder, 'migrations'))).filter((file) => !before.includes(file))
  expect(made).toEqual([expect.stringMatching(new RegExp(`^\\d{4}_${name}\\.sql$`))])
  return readFile(join(folder, 'migrations', String(made[0])), 'utf8')
}

const operation: Recipe = [
  [
    'src/features/currencies/currency-schemas.ts',
    undefined,
    `import { type Static, Type } from '@sinclair/typebox'
import { Address, ChainId, text } from '../../schemas/primitives.ts'
import { component, inline, ref } from '../../schemas/schema-builders.ts'
import { queryOf } from '../../schemas/parameters/query-values.ts'

export const ListCurrenciesQuery = queryOf({ chainId: inline(ChainId, { description: 'Chain of the tokens.' }) }, {})
export const ListCurrenciesResponse = component('ListCurrenciesResponse', 'Tokens of a chain.', {
  currencies: Type.Array(Type.Object({ address: ref(Address), symbol: text('Symbol of the token.') }), {
    maxItems: 100,
    description: 'The first tokens of the chain, ascending by address.',
  }),
})
export type ListCurrenciesResponse = Static<typeof ListCurrenciesResponse>
export const currencySchemas = [ListCurrenciesResponse]
`,
  ],
  [
    'src/features/currencies/currency-repository.ts',
    undefined,
    `import { asc, eq } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { tokens } from '../../database/tables/tokens.ts'
import type { ListCurrenciesResponse } from './currency-schemas.ts'

/** The first 100 tokens of a chain, by the primary key. */
export const createCurrencyRepository = (database: Database) => ({
  list: (chainId: number): Promise<ListCurrenciesResponse['currencies']> =>
    database
      .select({ address: tokens.address, symbol: tokens.symbol })
      .from(tokens)
      .where(eq(tokens.chainId, chainId))
      .orderBy(asc(tokens.address))
      .limit(100),
})
export type CurrencyRepository = ReturnType<typeof createCurrencyRepository>
`,
  ],
  [
    'src/features/currencies/currency-routes.ts',
    undefined,
    `import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { uncachedResponsesOf } from '../../http/responses.ts'
import type { CurrencyRepository } from './currency-repository.ts'
import { ListCurrenciesQuery, ListCurrenciesResponse } from './currency-schemas.ts'

const example: ListCurrenciesResponse = { currencies: [{ address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', symbol: 'USDC' }] }

const listCurrencies = {
  operationId: 'listCurrencies',
  summary: 'List tokens of a chain',
  description: 'The tokens that the service knows on a chain.',
  tags: ['Campaigns'],
  querystring: ListCurrenciesQuery,
  response: uncachedResponsesOf(
    { description: 'The tokens.', schema: ListCurrenciesResponse, example },
    { 400: 'chainId is required' },
  ),
}

export const currencyRoutes: FastifyPluginAsyncTypebox<{ currencies: CurrencyRepository }> = async (app, { currencies }) => {
  app.get('/currencies', { schema: listCurrencies }, async ({ query }) => ({ currencies: await currencies.list(query.chainId) }))
}
`,
  ],
  [
    'src/operations.ts',
    "import type { Settings } from './settings.ts'\n",
    `import { createCurrencyRepository } from './features/currencies/currency-repository.ts'
import { currencyRoutes } from './features/currencies/currency-routes.ts'
import { currencySchemas } from './features/currencies/currency-schemas.ts'
`,
  ],
  ['src/operations.ts', '  ...statusSchemas,\n', '  ...currencySchemas,\n'],
  [
    'src/operations.ts',
    '  await surface.register(statusRoutes, { status: createStatusRepository(lookups, now) })\n',
    '  await surface.register(currencyRoutes, { currencies: createCurrencyRepository(lookups) })\n',
  ],
]

test('an operation is added in four files, those that CONTRIBUTING names', async () => {
  expect(await filesToldOf('An operation.')).toEqual(filesOf(operation))
  const [one, other] = ['one token', 'other token'].map((word) => aToken({ chainId: 10, address: anAddress(word) }))
  await api.save(...[one, other, aToken({ chainId: 8453 })].filter((token) => token !== undefined))
  const response = await api.get('/currencies?chainId=10')
  expect(response.json()).toEqual({
    currencies: [one, other]
      .map((token) => ({ address: token?.address, symbol: token?.symbol }))
      .sort((a, b) => String(a.address).localeCompare(String(b.address))),
  })
  expect((await api.get('/currencies?chainID=10')).json().error).toContain('chainId')
  expect((await api.get('/openapi.json')).json().paths['/currencies'].get.operationId).toBe('listCurrencies')
})

const readModel: Recipe = [
  [
    'src/read-models/step-counts/tables.ts',
    undefined,
    `import { integer, pgTable } from 'drizzle-orm/pg-core'
import { campaignKey } from '../../database/column-types.ts'
import { campaigns } from '../../database/tables/campaigns.ts'

/** How many action steps a campaign has. Computed again for the campaigns of each batch. */
export const campaignStepCounts = pgTable('campaign_step_counts', {
  campaignKey: campaignKey()
    .primaryKey()
    .references(() => campaigns.key, { onDelete: 'cascade' }),
  stepCount: integer().notNull(),
})
`,
  ],
  [
    'src/read-models/step-counts/maintain.sql',
    undefined,
    `-- name: changeStepCounts
insert into campaign_step_counts (campaign_key, step_count)
select key, (select count(*) from action_steps where campaign_key = key) from touched_campaigns
on conflict (campaign_key) do update set step_count = excluded.step_count;

-- name: fillStepCounts
insert into campaign_step_counts (campaign_key, step_count)
select key, (select count(*) from action_steps where campaign_key = key) from campaigns
on conflict (campaign_key) do update set step_count = excluded.step_count;
`,
  ],
  [
    'src/read-models/step-counts/maintain.ts',
    undefined,
    `import { readStatements } from '../named-statements.ts'
import { aboutCampaigns, type Step, stepsFor } from '../steps.ts'

const statements = readStatements(
  'read-models/step-counts/maintain.sql',
  ...(['changeStepCounts', 'fillStepCounts'] as const),
)

export const changeStepCounts: Step[] = stepsFor(aboutCampaigns, statements.changeStepCounts)

export const recomputeStepCounts = [statements.fillStepCounts]
`,
  ],
  [
    'src/read-models/step-counts/check.ts',
    undefined,
    `import { comparing, type Sample, within } from '../../database/find-data-differences.ts'

/** Campaigns whose number of steps is not that of their steps. */
const differingStepCounts = (sample: Sample) => \`
  select (select id from campaigns where key = campaign_key) as what
  from (
    select key as campaign_key, (select count(*) from action_steps where campaign_key = key) as step_count
    from campaigns where \${within(sample, 'key')}
  ) due
  full join (select * from campaign_step_counts where \${within(sample, 'campaign_key')}) stored using (campaign_key)
  where stored.step_count is distinct from due.step_count\`

export const examineStepCounts = comparing({ 'numbers of action steps': differingStepCounts })
`,
  ],
  [
    'src/ingest/batch-steps.ts',
    'import { aboutCampaigns,',
    "import { changeStepCounts } from '../read-models/step-counts/maintain.ts'\n",
  ],
  ['src/ingest/batch-steps.ts', '  changeTotals,\n', '  changeStepCounts,\n'],
  [
    'src/ingest/rebuild.ts',
    'import { takeImportLock }',
    "import { recomputeStepCounts } from '../read-models/step-counts/maintain.ts'\n",
  ],
  ['src/ingest/rebuild.ts', "  'delete from token_versions',\n", '  ...recomputeStepCounts,\n'],
  [
    'src/doctor/data-checks.ts',
    'import { examinePrices }',
    "import { examineStepCounts } from '../read-models/step-counts/check.ts'\n",
  ],
  ['src/doctor/data-checks.ts', "  { name: 'claim hours',", "  { name: 'step counts', examine: examineStepCounts },\n"],
]

test('a read model is added in seven files, those that CONTRIBUTING names, and a migration; it changes with its facts, is checked, and is rebuilt', async () => {
  expect(await filesToldOf('A read model.')).toEqual(
    filesOf(readModel).map((file) => file.replace('step-counts', '<name>')),
  )
  expect(statements).toContainEqual(expect.stringContaining('CREATE TABLE "campaign_step_counts"'))
  expect(applied.map(({ migrations }) => migrations)).toEqual([1, 0])
  const campaign = aCampaign({ actionSteps: [aStep(anAddress('a')), aStep(anAddress('b'))] })
  await api.save(campaign, aCampaign())
  const counts = async () =>
    (await database.query('select step_count from campaign_step_counts order by 1')).map((row) => row.step_count)
  expect(await counts()).toEqual([0, 2])
  await api.save({ ...campaign, actionSteps: [aStep(anAddress('a'))] })
  expect(await counts()).toEqual([0, 1])

  const { dataChecks } = await copy.load<typeof import('../../src/doctor/data-checks.ts')>('src/doctor/data-checks.ts')
  const query = async <Row extends object>(sql: string, values?: unknown[]) =>
    (await database.query(sql, values)) as Row[]
  const examined = () => dataChecks.find(({ name }) => name === 'step counts')?.examine(query, null)
  expect(await examined()).toMatchObject({ state: 'ok' })
  await database.query('update campaign_step_counts set step_count = 7 where step_count = 1')
  expect(await examined()).toMatchObject({
    state: 'failed',
    found: `numbers of action steps differ from the facts (everything), 1 in all: ${campaign.id}`,
  })
  const { rebuild } = await copy.load<typeof import('../../src/ingest/rebuild.ts')>('src/ingest/rebuild.ts')
  await rebuild(database.url, { isOwnSchema: false, log: () => undefined })
  expect(await counts()).toEqual([0, 1])
})

const variant: Recipe = [
  [
    'src/schemas/campaigns/incentives.ts',
    '/** In the order of the reference; later ones behind them. */',
    `const WeeklyIncentive = variant(
  'WeeklyIncentive',
  'An amount of a token that claims may take again and again.',
  { asset, reward: shareOf('the amount signed in the claim'), limit: budgetLimit, ...tokenProperties },
  { reward: 'share', limit: 'budget', paysToken: true, paysAsSigned: true, paysOnce: false },
)

const BadgeIncentive = variant(
  'BadgeIncentive',
  'A badge, which is no token.',
  { asset: address('Contract of the badge.'), limit: baseUnits('Maximum number of claims; not an amount.') },
  { reward: 'none', limit: 'claims', paysToken: false, paysAsSigned: false, paysOnce: true },
)

const StreakIncentive = variant(
  'StreakIncentive',
  'A fixed amount of a token for each claim, as often as its validator allows.',
  { asset, reward: baseUnits('Paid for each claim, in base units of the asset.'), limit: budgetLimit, ...tokenProperties },
  { reward: 'fixed', limit: 'budget', paysToken: true, paysAsSigned: false, paysOnce: false },
)

`,
  ],
  [
    'src/schemas/campaigns/incentives.ts',
    '  AllowListIncentive,\n',
    '  WeeklyIncentive,\n  BadgeIncentive,\n  StreakIncentive,\n',
  ],
  ['packages/sample-data/src/campaigns/incentives.ts', '] as const\n', "  'StreakIncentive',\n"],
]

test('an incentive variant is added to one file of the sources, and is derived, listed and ranked by its traits', async () => {
  expect(await filesToldOf('An incentive variant.')).toEqual(filesOf(variant).filter((file) => file.startsWith('src/')))
  expect(statements.filter((statement) => statement.includes("'WeeklyIncentive'"))).toHaveLength(1)
  const asset = anAddress('weekly')
  const incentive = { type: 'WeeklyIncentive', asset, reward: '50000000000000000', limit: '100' }
  const campaign = aCampaign({ incentives: [incentive] })
  await api.save(
    aToken({ chainId: campaign.id.startsWith('10:') ? 10 : 8453, address: asset, decimals: 0, priceUsd: '2' }),
    ...[campaign, aClaim(campaign, { amount: '30', blockTimestamp: String(now - 60) })],
  )
  const { incentives } = (await api.get(`/campaigns/${campaign.id}`)).json()
  expect(incentives).toEqual([expect.objectContaining({ ...incentive, totalAmountClaimed: '30', totalClaims: '1' })])
  const { trendingCampaigns } = (await api.get('/reward-kit/trending?tokenWhitelist=false')).json()
  const ranked = trendingCampaigns.find(({ id }: { id: string }) => id === campaign.id)
  expect(ranked.incentives).toEqual([expect.objectContaining({ type: 'WeeklyIncentive', rewardPercentage: 5 })])
  expect((await api.get(`/outlook?campaignId=${campaign.id}`)).json().campaigns[0].incentives).toEqual([
    expect.objectContaining({ budgetLeft: '70', spentShare: 0.3 }),
  ])
  await api.save(aClaim(campaign, { amount: '70', blockTimestamp: String(now - 50) }))
  expect(
    await database.query(`select is_spent, remaining_budget::text from incentives where type = 'WeeklyIncentive'`),
  ).toEqual([{ is_spent: true, remaining_budget: '0' }])
})

test('an incentive variant takes six files by hand at most', async () => {
  const told = await filesToldOf('An incentive variant.', ['src', 'packages', 'test', 'docs'])
  expect(told).toEqual(expect.arrayContaining(filesOf(variant)))
  expect(new Set(told).size).toBeLessThanOrEqual(6)
  for (const file of told) expect((await stat(join(root, file))).isFile()).toBe(true)
})

test('the sample has a variant once its list does', async () => {
  const { generateSample } = await copy.load<typeof import('../../packages/sample-data/src/sample-data.ts')>(
    'packages/sample-data/src/sample-data.ts',
  )
  const sample = [...generateSample({ campaigns: 20, claims: 100, seed: 4, now: new Date(now * 1000) })]
  const streaks = sample.flatMap((record) =>
    record.type === 'campaign' ? record.incentives.filter(({ type }) => type === 'StreakIncentive') : [],
  )
  const text = expect.any(String)
  expect(streaks[0]).toMatchObject({ asset: text, reward: text, limit: text })
})

test('whether a variant pays the token in its field `asset` is a trait', async () => {
  const [one, other] = [anAddress('badge'), anAddress('other badge')]
  const campaign = aCampaign({ incentives: [{ type: 'BadgeIncentive', asset: one, limit: '5' }] })
  const chainId = Number(campaign.id.split(':')[0])
  const tokens = [one, other].map((address) => aToken({ chainId, address, priceUsd: '2', whitelisted: false }))
  const claim = aClaim(campaign, { amount: '1', blockTimestamp: String(now - 60) })
  await api.save(...tokens, campaign, claim)
  const stored = () =>
    database.query(`select incentives.asset, remaining_budget, amount_usd, is_value_derived
      from incentives join claims using (campaign_key) where type = 'BadgeIncentive'`)
  const none = { asset: null, remaining_budget: null, amount_usd: null, is_value_derived: false }
  expect(await stored()).toEqual([none])
  // Nor does another contract revalue its claims.
  await api.save({ ...campaign, incentives: [{ type: 'BadgeIncentive', asset: other, limit: '5' }] })
  expect(await stored()).toEqual([none])
  const { campaigns } = (await api.get('/campaigns')).json()
  expect(campaigns.map(({ id }: { id: string }) => id)).toContain(campaign.id)
  const { trendingCampaigns } = (await api.get('/reward-kit/trending')).json()
  const ranked = trendingCampaigns.find(({ id }: { id: string }) => id === campaign.id)
  expect(ranked.incentives).toEqual([expect.objectContaining({ type: 'BadgeIncentive', assetAddress: other })])
})

test('whether a claim pays what is signed is a trait, whatever limits the incentive', async () => {
  const [streak, weekly] = ['StreakIncentive', 'WeeklyIncentive'].map((type) => ({
    ...{ type, asset: anAddress('streak'), reward: type === 'StreakIncentive' ? '7' : '0', limit: '1000' },
  }))
  const campaign = aCampaign({ incentives: [streak ?? {}, weekly ?? {}] as (typeof campaign)['incentives'] })
  const claimant = anAddress('who is on a streak')
  const signed = (incentiveId: number) => ({
    ...{ type: 'claimSignature' as const, campaignId: campaign.id, incentiveId, claimant },
    signature: aPayload(30n),
    referrer: anAddress('referrer'),
  })
  await api.save(campaign, signed(0), signed(1))
  const { campaigns } = (await api.get(`/eligibility?user=${claimant}&campaignId=${campaign.id}`)).json()
  expect(campaigns[0].incentives.map(({ rewardNow }: { rewardNow: string }) => rewardNow)).toEqual(['7', '30'])
})

const column: Recipe = [
  ['src/database/tables/tokens.ts', '    holders: doublePrecision(),\n', '    website: text(),\n'],
]

test('a migration is generated from the table that was changed, and applied', async () => {
  expect(statements.filter((statement) => statement.includes('"tokens"')).map((statement) => statement.trim())).toEqual(
    ['ALTER TABLE "tokens" ADD COLUMN "website" text;'],
  )
  expect(applied.map(({ migrations }) => migrations)).toEqual([1, 0])
  expect(await database.query('select website from tokens where website is not null')).toEqual([])
})

const setting: Recipe = [
  [
    'src/settings.ts',
    '  METRICS_PORT: Type.Optional(\n',
    "  GREETING_SECONDS: whole('Longest greeting.', { minimum: 1, maximum: 60, default: 5 }),\n",
  ],
]

test('a setting is added in one file, and is checked like the others', async () => {
  expect(await filesToldOf('A setting.')).toEqual(filesOf(setting))
  const { readSettings } = await copy.load<typeof import('../../src/config.ts')>('src/config.ts')
  const read = (environment: Record<string, string>) =>
    (readSettings(environment) as unknown as Record<string, unknown>).GREETING_SECONDS
  expect([read({}), read({ GREETING_SECONDS: '7' })]).toEqual([5, 7])
  expect(() => read({ GREETING_SECONDS: '0' })).toThrow('GREETING_SECONDS')
})

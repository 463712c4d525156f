import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type {
  Campaign,
  CampaignListItem,
  Client,
  CursorListing,
  Incentive,
  IncentiveOf,
  Listing,
  operations,
  Query,
  ResponseOf,
} from 'reward-campaigns-client'
import { expect, expectTypeOf, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

test('every operation is a method with its query and its answer', () => {
  expectTypeOf<Exclude<keyof operations, `export${string}` | 'receiveChange'>>().toExtend<keyof Client>()
  expectTypeOf((client: Client) => client.getCampaign('')).returns.resolves.toExtend<Campaign>()
  expectTypeOf<Client['listContracts']>().returns.resolves.toEqualTypeOf<
    operations['listContracts']['responses'][200]['content']['application/json']
  >()
  expectTypeOf((client: Client) => client.eachCampaign()).returns.toExtend<Listing<CampaignListItem>>()
  expectTypeOf<Query<'listTrendingCampaigns'>['period']>().toEqualTypeOf<'1h' | '24h' | undefined>()
  expectTypeOf<ResponseOf<'getUserProfile'>['streak']['status']>().toEqualTypeOf<'active' | 'pending' | 'broken'>()
  // @ts-expect-error: an order that there is not
  expectTypeOf<Client['listCampaigns']>().toBeCallableWith({ sortBy: 'oldest' })
  // @ts-expect-error: a parameter that there is not
  expectTypeOf<Client['listCampaigns']>().toBeCallableWith({ owners: '0x' })
  // @ts-expect-error: a listing counts its pages by itself
  expectTypeOf<Client['eachCampaign']>().toBeCallableWith({ page: 2 })
  // @ts-expect-error: and has no cursor
  expectTypeOf<Client['eachCampaign']>().toBeCallableWith({ cursor: 'start' })
})

test('fields leave only the keys that they name, also in the type', () => {
  const ask = (client: Client) => client.listCampaigns({ fields: ['id', 'chainId'], pageSize: 1 })
  expectTypeOf(ask).returns.resolves.toExtend<{ campaigns: Pick<CampaignListItem, 'id' | 'chainId'>[] }>()
  // @ts-expect-error: a key that was not asked for
  expectTypeOf(ask).returns.resolves.toExtend<{ campaigns: Pick<CampaignListItem, 'owner'>[] }>()
  expectTypeOf((client: Client) => client.listCampaigns()).returns.resolves.toExtend<ResponseOf<'listCampaigns'>>()
  const trending = (client: Client) => client.listTrendingCampaigns({ fields: ['id'] })
  expectTypeOf(trending).returns.resolves.toExtend<{ trendingCampaigns: { id: string }[] }>()
  expectTypeOf(trending).returns.resolves.toExtend<Pick<ResponseOf<'listTrendingCampaigns'>, 'explained'>>()
  expectTypeOf(trending).returns.resolves.toHaveProperty('explained')
  const askOne = (client: Client) => client.getCampaign('', { fields: ['id'] })
  expectTypeOf(askOne).returns.resolves.toEqualTypeOf<Pick<Campaign, 'id'>>()
  const walk = (client: Client) => client.walkCampaigns({ fields: ['id'] })
  expectTypeOf(walk).returns.toEqualTypeOf<CursorListing<Pick<CampaignListItem, 'id'>>>()
  const list = (client: Client) => client.eachCampaign({ fields: ['id'] })
  expectTypeOf(list).returns.toEqualTypeOf<Listing<Pick<CampaignListItem, 'id'>>>()
  // @ts-expect-error: a key that there is not
  expectTypeOf<Client['listCampaigns']>().toBeCallableWith({ fields: ['nope'] })
})

test('the type of an incentive tells its variant', () => {
  const rewardOf = (incentive: Incentive): string => {
    switch (incentive.type) {
      case 'AllowListIncentive':
        // @ts-expect-error: a place on a list is no amount
        void incentive.reward
        return incentive.limit
      case 'CGDAIncentive':
        return incentive.initialReward
      case 'ERC20VariableCriteriaIncentiveV2':
        expectTypeOf(incentive).toEqualTypeOf<IncentiveOf<'ERC20VariableCriteriaIncentiveV2'>>()
        expectTypeOf(incentive.criteria.valueType).toEqualTypeOf<0 | 1>()
        return incentive.maxReward
      case 'TimeBasedIncentive':
        return incentive.limit
      case 'ERC20PeggedIncentive':
        expectTypeOf(incentive.peg).toEqualTypeOf<string>()
        return incentive.reward
      default:
        return 'reward' in incentive ? incentive.reward : ''
    }
  }
  const auction: IncentiveOf<'CGDAIncentive'> = {
    type: 'CGDAIncentive',
    asset: '0x',
    initialReward: '7',
    rewardDecay: '1',
    rewardBoost: '1',
    totalBudget: '70',
  }
  expect(rewardOf(auction)).toBe('7')
})

test('the types are those of the document', async () => {
  const generated = await generateTypes(join(root, 'openapi.json'))
  expect(generated).toBe(await readFile(join(root, 'packages/client/src/openapi.ts'), 'utf8'))
})

interface OpenApiDocument {
  paths: Record<string, { get: { operationId: string; responses: Record<string, unknown> } }>
  components: { schemas: Record<string, { properties: Record<string, unknown> }> }
}

test('the client does not compile where the document no longer fits', async () => {
  const document: OpenApiDocument = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8'))
  const { paths, components } = document
  const profile = paths['/users/profile'] ?? expect.unreachable()
  paths['/elsewhere'] = { get: { ...profile.get, operationId: 'getElsewhere' } }
  delete components.schemas.ListCampaignsResponse?.properties.totalCampaigns

  const folder = await mkdtemp(join(tmpdir(), 'changed-document-'))
  try {
    await cp(join(root, 'packages/client/src'), join(folder, 'packages/client/src'), { recursive: true })
    for (const file of ['tsconfig.json', 'packages/client/tsconfig.json', 'packages/client/package.json']) {
      await cp(join(root, file), join(folder, file))
    }
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document))
    await writeFile(join(folder, 'packages/client/src/openapi.ts'), await generateTypes(join(folder, 'openapi.json')))
    const faults = await compile(join(folder, 'packages/client'))
    expect(faults, 'an operation without a method').toMatch(/client\.ts.*'getElsewhere' is missing/s)
    expect(faults, 'a path of which nobody says how it is asked').toMatch(/operations\.ts.*'"\/elsewhere"' is missing/s)
    expect(faults, 'a key that is used').toMatch(/client\.ts.*'totalCampaigns' does not exist/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}, 120_000)

async function generateTypes(document: string) {
  const generator = join(root, 'node_modules/openapi-typescript/bin/cli.js')
  return (await run(process.execPath, [generator, document])).stdout
}

/** What the compiler objects to. */
async function compile(project: string) {
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc')
  const { stdout } = await run(process.execPath, [compiler, '--noEmit', '--project', project]).catch(
    // The exit code tells that there is something.
    (error: { stdout: string }) => error,
  )
  return stdout
}

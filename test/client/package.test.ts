import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildClient } from '../../packages/client/build.mjs'
import { aCampaign } from '../setup/records.ts'
import { startTestApp } from '../setup/test-app.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const readJson = async (path: string) => JSON.parse(await readFile(join(root, path), 'utf8'))

/** What has to come over the wire at most, with all that the client needs. */
const MAX_BYTES = 6000

/** Of somebody who has installed the package. */
const USE = `
  import { createClient, type IncentiveOf, ServiceError, toTokens } from 'reward-campaigns-client'
  const client = createClient({ baseUrl: String(process.argv[2]) })
  const { campaigns, totalCampaigns } = await client.listCampaigns({ owner: undefined, pageSize: 5 })
  const auctions = campaigns.flatMap(({ incentives }) => incentives.filter(({ type }) => type === 'CGDAIncentive'))
  const budgets = auctions.map((auction) => toTokens((auction as IncentiveOf<'CGDAIncentive'>).totalBudget, 18))
  const refusal = await client.getCampaign('1').catch((error: unknown) => error instanceof ServiceError && error.status)
  console.log(JSON.stringify({ totalCampaigns, budgets, refusal }))
`

/** What the examples of the package's README take for granted. */
const GIVEN = `
  declare const client: ReturnType<typeof createClient>
  declare const wallet: { waitForTransactionReceipt: (asked: { hash: string }) => Promise<{ blockNumber: bigint; transactionHash: string }> }
  declare const hash: string, id: string, address: string, cursor: string
`

/** The examples of the package's README as one module: each in a scope of its own, below what they import. */
async function readExamples() {
  const readme = await readFile(join(root, 'packages/client/README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block = '']) => block)
  expect(blocks.length).toBeGreaterThanOrEqual(5)
  const imported = new Set(
    blocks.flatMap(
      (block) =>
        block
          .match(/(?<=^import \{ ).*(?= \})/gm)
          ?.join(', ')
          .split(', ') ?? [],
    ),
  )
  const bodies = blocks.map((block) => `export async function example() {\n${block.replace(/^import .*$/gm, '')}}`)
  return [
    `import { ${[...imported].join(', ')} } from 'reward-campaigns-client'`,
    GIVEN,
    ...bodies.map((body, index) => body.replace('example()', `example${index}()`)),
  ].join('\n')
}

describe('the package that is published', () => {
  let folder: string
  let installed: string
  let made: { compressedBytes: number }
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'installed-client-'))
    installed = join(folder, 'node_modules/reward-campaigns-client')
    await mkdir(installed, { recursive: true })
    made = await buildClient(join(installed, 'dist'))
    await writeFile(join(installed, 'package.json'), await readFile(join(root, 'packages/client/package.json')))
    for (const dependency of ['openapi-fetch', 'openapi-typescript-helpers', '@types', 'undici-types']) {
      await symlink(join(root, 'node_modules', dependency), join(folder, 'node_modules', dependency))
    }
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'use.ts'), USE)
    await writeFile(join(folder, 'readme.ts'), await readExamples())
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('is small, with all that it needs', async () => {
    const bundle = await readFile(join(installed, 'dist/browser.js'))
    expect(bundle.toString()).not.toMatch(/\bfrom\s*["']|\bimport\s*\(/)
    const { length } = gzipSync(bundle, { level: 9 })
    expect(length).toBeLessThanOrEqual(MAX_BYTES)
    expect(made).toEqual({ compressedBytes: length })
  })

  test('compiles with whatever finds modules, as the examples of its README do, and runs', async () => {
    await using api = await startTestApp()
    await api.save(aCampaign())
    const compiler = join(root, 'node_modules/typescript-7/bin/tsc')
    const strict = ['--strict', '--target', 'es2022', '--types', 'node']
    const bundled = ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit', '--skipLibCheck']
    for (const how of [bundled, ['--module', 'nodenext']]) {
      const compiled = run(process.execPath, [compiler, ...strict, ...how, 'use.ts', 'readme.ts'], { cwd: folder })
      await expect(compiled, how.join(' ')).resolves.toMatchObject({ stdout: '' })
    }
    const baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 })
    const { stdout } = await run(process.execPath, [join(folder, 'use.js'), baseUrl])
    expect(JSON.parse(stdout)).toEqual({ totalCampaigns: 1, budgets: [], refusal: 400 })
  }, 180_000)

  test('holds modules and types, and needs one other package', async () => {
    const files = await readdir(join(installed, 'dist'))
    expect(files.filter((file) => !/\.(js|d\.ts)$/.test(file))).toEqual([])
    const { exports, dependencies, files: published } = await readJson('packages/client/package.json')
    expect(published).toEqual(['dist'])
    expect(Object.keys(dependencies)).toEqual(['openapi-fetch'])
    const entrances = Object.values<string | Record<string, string>>(exports).flatMap((entrance) =>
      typeof entrance === 'string' ? [] : Object.values(entrance),
    )
    expect(entrances).not.toHaveLength(0)
    for (const entrance of entrances) expect(files).toContain(entrance.replace('./dist/', ''))
  })
})

test('the client has the version and the licence of the service', async () => {
  const [service, client, document] = await Promise.all(
    ['package.json', 'packages/client/package.json', 'openapi.json'].map(readJson),
  )
  expect(client.version).toBe(service.version)
  expect(client.version).toBe(document.info.version)
  expect(client.license).toBe(service.license)
})

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { aCampaign, anErc20Incentive, aToken } from '../setup/records.ts'
import { startTestApp } from '../setup/test-app.ts'

const root = join(import.meta.dirname, '../..')
const example = join(root, 'examples/openapi-tools')
const tool = (name: string) => join(example, 'node_modules/.bin', name)
const run = promisify(execFile)

// 238 MB in 546 packages are no dependency of the project: `npm ci` in examples/openapi-tools brings them.
describe.skipIf(!existsSync(tool('orval')))('the OpenAPI document', () => {
  test('has nothing that Spectral objects to, with the rules of OWASP', async () => {
    const { stdout } = await run('npm', ['run', 'lint'], { cwd: example })
    expect(stdout).toContain('No results')
  })

  test.each([
    ['orval', []],
    ['openapi-ts', []],
    ['kubb', ['generate']],
  ])('is one of which %s generates a client without a warning', async (name, options) => {
    const { stdout, stderr } = await run(tool(name), options, { cwd: example })
    expect(`${stdout}${stderr}`).not.toMatch(/\bwarn|\berror:|✗/i)
  })

  test('generates clients that compile, and list campaigns by several tokens', async () => {
    await using api = await startTestApp()
    const [token, other] = [aToken(), aToken()]
    const points = { type: 'PointsIncentive', venue: token.address, selector: '0x', reward: '5', limit: '7' } as const
    const campaigns = [
      aCampaign({ incentives: [anErc20Incentive(token.address, { reward: '12' }), points] }),
      aCampaign({ incentives: [anErc20Incentive(other.address, { reward: '9' })] }),
    ]
    await api.save(token, other, ...campaigns, aCampaign())

    await run(process.execPath, [join(root, 'node_modules/typescript-7/bin/tsc'), '--noEmit', '--project', example])
    const { outputFiles } = await build({
      entryPoints: [join(example, 'campaigns.ts')],
      bundle: true,
      format: 'esm',
      write: false,
    })
    const folder = await mkdtemp(join(tmpdir(), 'orval-example-'))
    try {
      const service = await api.app.listen({ host: '127.0.0.1', port: 0 })
      const program = join(folder, 'campaigns.mjs')
      await writeFile(program, outputFiles[0]?.text.replaceAll('http://localhost:3000', service) ?? '')
      const filters = [token, other].map(({ chainId, address }) => `${chainId}:${address}`)
      const { stdout } = await run(process.execPath, [program, ...filters])
      const [first, second] = campaigns
      expect(stdout.trimEnd().split('\n')).toEqual([
        `${second?.id} 9 of ${other.address}`,
        `${first?.id} 12 of ${token.address}`,
        `${first?.id} PointsIncentive`,
      ])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

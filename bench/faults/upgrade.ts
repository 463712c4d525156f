/*
 * An upgrade: an earlier version serves, `migrate` of this version runs, and this version serves and imports. Exits with 1 if a
 * request fails, a response differs, or derived data differs from the facts.
 * `npm run bench:upgrade -- [commit]`; without one, the oldest whose database can be upgraded.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCluster } from '../../packages/embedded-postgres/src/embedded-cluster.ts'
import compile from '../../test/setup/build.ts'
import { CLI, RunningProcess } from '../../test/setup/servers/processes.ts'
import { root } from '../measuring/child-processes.ts'
import { print } from '../measuring/measure.ts'

const CAMPAIGNS = 2000
const CLAIMS = 20_000

const git = (...parameters: string[]) => execFileSync('git', parameters, { cwd: root, encoding: 'utf8' }).trim()

/** The first migration of all. */
const BASELINE = 'migrations/0000_create-tables.sql'

/** The commit that added it. */
const withBaseline = () => git('log', '--diff-filter=A', '--format=%H', '--', BASELINE).split('\n').at(-1) ?? 'HEAD'

/** Another version of the service, as its users would build it; returns its command line. */
async function build(commit: string, folder: string) {
  execFileSync('sh', ['-c', `git archive "${commit}" | tar --extract --directory "${folder}"`], { cwd: root })
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'] }
  execFileSync('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], options)
  execFileSync('npm', ['run', 'build'], options)
  return join(folder, 'dist/commands/cli.js')
}

const start = (cli: string, parameters: string[]) =>
  new RunningProcess([process.execPath, cli, ...parameters], {
    ...{ DATABASE_URL: databaseUrl, PORT: '0', DRAIN_SECONDS: '1', MAX_EVENT_LOOP_DELAY_MS: '0' },
  })

async function run(cli: string, parameters: string[]) {
  await using command = start(cli, parameters)
  const { code, stdout, stderr } = await command.ended
  if (code !== 0) throw new Error(`${parameters.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return stdout
}

/** Campaigns that have another name, and claims in other transactions: a tenth of each. */
function changesOf(sample: string) {
  const records: Record<string, unknown>[] = sample
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const some = records.filter((_, index) => index % 10 === 0)
  const changed = [
    ...some.filter(({ type }) => type === 'campaign').map((record) => ({ ...record, campaignName: 'another name' })),
    ...some
      .filter(({ type }) => type === 'claim')
      .map((record) => ({ ...record, txHash: `0x${randomBytes(32).toString('hex')}` })),
  ]
  return changed.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** What is the same as long as nothing is written: windows slide. */
async function stillPaths(url: string) {
  const pages = Array.from({ length: 10 }, (_, page) => `/campaigns?page=${page + 1}&tokenWhitelist=false`)
  const lists: { campaigns: { id: string }[] }[] = await Promise.all(
    pages.map(async (path) => JSON.parse((await readResponse(url + path)).body)),
  )
  const details = lists.flatMap(({ campaigns }) => campaigns.map(({ id }) => `/campaigns/${id}`))
  const contracts = ['most-completions', 'total-spend', 'recently-deployed'].map(
    (order) => `/explore/contracts?sortBy=${order}&pageSize=100`,
  )
  return [...pages, ...details, ...contracts]
}

async function readResponse(url: string) {
  try {
    const response = await fetch(url)
    return { status: response.status, body: await response.text() }
  } catch (error) {
    return { status: 0, body: String(error) }
  }
}

/** Reads every path; returns the responses with a fault. */
async function readAll(url: string, paths: string[], expected: Map<string, string>) {
  const faults: string[] = []
  for (const path of paths) {
    const { status, body } = await readResponse(url + path)
    if (status !== 200 || (expected.get(path) ?? body) !== body) faults.push(`${path}: ${status} ${body.slice(0, 200)}`)
    if (!expected.has(path)) expected.set(path, body)
  }
  return faults
}

const commit = process.argv[2] ?? withBaseline()
const folder = await mkdtemp(join(tmpdir(), 'upgrade-'))
const cluster = await openCluster(join(folder, 'data'), { fsync: 'off' })
const password = await cluster.create()
const databaseUrl = `postgres://postgres:${password}@127.0.0.1:${await cluster.start()}/postgres`
const started: RunningProcess[] = []
try {
  print('the earlier version', git('log', '-1', '--format=%h of %cs', commit))
  const source = await mkdtemp(join(folder, 'earlier-'))
  const earlier = await build(commit, source)
  await compile()
  const current = join(root, CLI)

  const sample = await run(earlier, ['sample', '--campaigns', String(CAMPAIGNS), '--claims', String(CLAIMS)])
  const [all, more] = [join(folder, 'all.ndjson'), join(folder, 'more.ndjson')]
  await writeFile(all, sample)
  await writeFile(more, changesOf(sample))
  await run(earlier, ['migrate'])
  await run(earlier, ['import', all])

  const serve = async (cli: string) => {
    const service = start(cli, ['serve'])
    started.push(service)
    return { service, url: await service.ready() }
  }
  const before = await serve(earlier)
  const paths = await stillPaths(before.url)
  const expected = new Map<string, string>()
  const faults = await readAll(before.url, paths, expected)
  print('the earlier version serves', `${paths.length} responses, ${faults.length} failed`)
  before.service.child.kill('SIGTERM')
  const { code } = await before.service.ended
  if (code !== 0) throw new Error(`a process ended with ${code}: ${before.service.stdout}${before.service.stderr}`)

  const began = performance.now()
  const applied = (await run(current, ['migrate'])).trim()
  const after = await serve(current)
  print('this version migrates and serves', `${applied}, after ${((performance.now() - began) / 1000).toFixed(1)} s`)
  const different = await readAll(after.url, paths, expected)
  print('this version serves', `${paths.length} responses, ${different.length} failed or differ`)

  await run(current, ['import', more])
  const findings = (await run(current, ['doctor', '--all', '--json']))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const wrong = findings.filter(({ state }) => state === 'failed')
  print('after an import by this version', `doctor --all runs ${findings.length} checks, ${wrong.length} failed`)
  for (const fault of [...faults, ...different].slice(0, 5)) print('  ', fault)
  if (faults.length + different.length + wrong.length > 0) process.exitCode = 1
} finally {
  for (const service of started) await service[Symbol.asyncDispose]()
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
}

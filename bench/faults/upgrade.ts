/*
 * Upgrades and downgrades while a reader sends requests: two processes of an earlier version serve, `migrate` of this
 * version runs, this version replaces them one by one, and then the earlier version again, which also imports on the newer
 * schema. Exits with 1 if a request fails, a response differs, or derived data differs from the facts.
 * `npm run bench:upgrade -- [commit]`; without one, the last before the newest migration.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openCluster } from '../../src/embedded/embedded-cluster.ts'
import compile from '../../test/setup/build.ts'
import { CLI, RunningProcess } from '../../test/setup/servers/processes.ts'
import { root } from '../measuring/child-processes.ts'
import { print } from '../measuring/measure.ts'

const CAMPAIGNS = 2000
const CLAIMS = 20_000
const PHASE_MS = 3000

const git = (...parameters: string[]) => execFileSync('git', parameters, { cwd: root, encoding: 'utf8' }).trim()

async function beforeNewestMigration() {
  const newest = (await readdir(join(root, 'migrations')))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .at(-1)
  return `${git('log', '--diff-filter=A', '--format=%H', '-1', '--', `migrations/${newest}`)}~1`
}

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

/** Reads from the processes in turn, as behind a balancer, and compares each response with the first. */
function createReader(paths: string[], serving: RunningProcess[], urls: Map<RunningProcess, string>) {
  const first = new Map<string, string>()
  const seen = { requests: 0, failed: 0, different: 0 }
  const faults: string[] = []
  const over = new AbortController()
  const read = async () => {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const path = paths[turn % paths.length] ?? ''
      const process = serving[turn % serving.length]
      const { status, body } = await readResponse(`${process === undefined ? '' : urls.get(process)}${path}`)
      seen.requests += 1
      if (status !== 200) {
        seen.failed += 1
        faults.push(`${path}: ${status} ${body.slice(0, 200)}`)
      } else if ((first.get(path) ?? body) !== body) {
        seen.different += 1
        faults.push(`${path}: ${body.slice(0, 200)}`)
      } else first.set(path, body)
      await sleep(2)
    }
  }
  const reading = Promise.all([read(), read()])
  return {
    faults,
    /** What was seen since the last time. */
    take() {
      const taken = { ...seen }
      Object.assign(seen, { requests: 0, failed: 0, different: 0 })
      return taken
    },
    async stop() {
      over.abort()
      await reading
    },
  }
}

const commit = process.argv[2] ?? (await beforeNewestMigration())
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

  const serving: RunningProcess[] = []
  const urls = new Map<RunningProcess, string>()
  const serve = async (cli: string) => {
    const service = start(cli, ['serve'])
    started.push(service)
    urls.set(service, await service.ready())
    return service
  }
  serving.push(await serve(earlier), await serve(earlier))
  const [someProcess] = serving
  const paths = await stillPaths(someProcess === undefined ? '' : (urls.get(someProcess) ?? ''))
  const reader = createReader(paths, serving, urls)

  const phase = async (what: string, work: () => Promise<unknown>) => {
    await work()
    await sleep(PHASE_MS)
    const { requests, failed, different } = reader.take()
    print(what, `${requests} requests, ${failed} failed, ${different} answered otherwise`)
  }
  const replaceAll = async (cli: string) => {
    for (const [place, old] of serving.entries()) {
      const other = await serve(cli)
      // Its readers have been told.
      serving[place] = other
      await sleep(100)
      old.child.kill('SIGTERM')
      const { code } = await old.ended
      if (code !== 0) throw new Error(`a process ended with ${code}: ${old.stdout}${old.stderr}`)
    }
  }
  try {
    await phase('the earlier version serves', async () => undefined)
    await phase('this version migrates', async () => print('  applied', (await run(current, ['migrate'])).trim()))
    await phase('one process after the other is of this version', () => replaceAll(current))
    await phase('one process after the other is of the earlier version again', () => replaceAll(earlier))
    await phase('the earlier version migrates and imports the same again', async () => {
      await run(earlier, ['migrate'])
      await run(earlier, ['import', all])
    })
  } finally {
    await reader.stop()
  }
  await run(earlier, ['import', more])
  const findings = (await run(current, ['doctor', '--all', '--json']))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const wrong = findings.filter(({ state }) => state === 'failed')
  print(
    'after an import by the earlier version',
    `doctor --all looks at ${findings.length} things, ${wrong.length} failed`,
  )
  const later = await serve(current)
  const [old] = serving
  let different = 0
  for (const path of paths) {
    const responses = await Promise.all([old, later].map((one) => readResponse(`${one && urls.get(one)}${path}`)))
    if (responses[0]?.body !== responses[1]?.body) different += 1
  }
  print('both versions asked the same then', `${paths.length} questions, ${different} answered differently`)
  for (const fault of reader.faults.slice(0, 5)) print('  ', fault)
  if (reader.faults.length + different + wrong.length > 0) process.exitCode = 1
} finally {
  for (const service of started) await service[Symbol.asyncDispose]()
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
}

import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type FactsDatabase, openFactsDatabase } from './data/facts-database.ts'
import { endAllProcesses, responseOf, startHelper } from './measuring/child-processes.ts'
import { type Figure, print, withUnit } from './measuring/measure.ts'
import type { Part, PartContext } from './measuring/part.ts'
import { describeEnvironment, toMarkdown, writeResults } from './measuring/results.ts'
import { filters } from './parts/requests/filters.ts'
import { hardest } from './parts/requests/hardest.ts'
import { pagesAndWindows } from './parts/requests/pages-and-windows.ts'
import { people } from './parts/requests/people.ts'
import { againstPostgraphile } from './parts/requests/postgraphile.ts'
import { repeated } from './parts/requests/repeated.ts'
import { start } from './parts/requests/start.ts'
import { batch } from './parts/writes/batch.ts'
import { following } from './parts/writes/chain.ts'
import { feeding } from './parts/writes/feed.ts'
import { importing } from './parts/writes/import.ts'
import { prices } from './parts/writes/prices.ts'
import { streams } from './parts/writes/streams.ts'
import type { Job, LoadFigures } from './processes/load-generator.ts'

/*
 * Measures every target on an embedded PostgreSQL of its own, as ratios within the run.
 * `npm run bench -- [--only PART[,PART]] [campaigns] [claims]`; `BENCH_DATA=folder` stores the facts for the next run.
 * A run of all parts at full size writes to `bench/results/`; `--output` names another folder.
 */

/** Added to the time of a load, for requests still pending at its end. */
const LOAD_GRACE_MS = 30_000
/** Asking each of some requests once takes seconds. */
const MAX_ONCE_SECONDS = 120

/** How long the clean-up of an interrupted part may take. */
const ORDER_MS = 60_000

/** In the order in which they are run: the cheap ones first, and the feed before anything else has written much. */
const parts: Record<string, Part> = {
  start,
  batch,
  people,
  prices,
  repeated,
  postgraphile: againstPostgraphile,
  feed: feeding,
  streams,
  windows: pagesAndWindows,
  chain: following,
  import: importing,
  filters,
  hardest,
}

/** The whole run takes no longer, once the facts are there. */
const MAX_MINUTES = 35

const FULL_SIZE = [1_000_000, 10_000_000] as const
const { values, positionals } = parseArgs({
  options: { only: { type: 'string' }, output: { type: 'string' } },
  allowPositionals: true,
})
const [campaigns = FULL_SIZE[0], claims = FULL_SIZE[1]] = positionals.map(Number)
const names = values.only?.split(',') ?? Object.keys(parts)
const unknown = names.filter((name) => !(name in parts))
if (unknown.length > 0 || !(campaigns >= 1000 && claims >= 1000)) {
  process.stderr.write(
    `npm run bench -- [--only PART[,PART]] [--output FOLDER] [campaigns] [claims], 1,000 of each at least; parts are ${Object.keys(parts).join(', ')}\n`,
  )
  process.exit(2)
}

/** SIGINT and SIGTERM stop everything in order. */
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted.abort(new Error('interrupted'))
    void endAllProcesses()
  })
}

// The reader of standard output has gone: stop.
process.stdout.on('error', () => interrupted.abort(new Error('interrupted')))
// A connection that a part has left behind, say, and that ends with the server: no reason to lose what others find.
process.on('uncaughtException', (error) => {
  print('unexpected', error.stack ?? error.message)
  process.exitCode = 1
})

const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-bench-run-'))
// biome-ignore lint/style/noProcessEnv: a setting of the measurement, not of the service.
const dataFolder = process.env.BENCH_DATA || undefined
let facts: FactsDatabase | undefined
try {
  if (dataFolder !== undefined) await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  facts = await openFactsDatabase(campaigns, claims, { reuseFolder: dataFolder, signal: interrupted.signal })
  const begin = performance.now()
  const over = AbortSignal.timeout(MAX_MINUTES * 60_000)
  const signal = AbortSignal.any([interrupted.signal, over])
  const environment = await describeEnvironment(facts.url, facts.settings)
  const figures: Figure[] = []
  for (const name of names) {
    const part = parts[name]
    if (part === undefined) continue
    print(name, 'begins')
    figures.push(
      ...(signal.aborted
        ? notMeasured(name, part, over.aborted ? `the run was over after ${MAX_MINUTES} minutes` : 'interrupted')
        : await runPart(name, part, { campaigns, claims, facts, folder, signal })),
    )
  }
  const results = {
    date: new Date().toISOString(),
    ...{ campaigns, claims, minutes: (performance.now() - begin) / 60_000, environment, figures },
  }
  print('\nresults', `\n\n${toMarkdown(results)}`)
  if (figures.some(({ value }) => value === undefined)) process.exitCode = 1
  const isWhole = names.length === Object.keys(parts).length && campaigns === FULL_SIZE[0] && claims === FULL_SIZE[1]
  const output = values.output ?? (isWhole ? join(import.meta.dirname, 'results') : undefined)
  if (output !== undefined && !interrupted.signal.aborted) {
    await writeResults(output, results)
    print('written to', output)
  }
} finally {
  await endAllProcesses()
  await facts?.close()
  await rm(folder, { recursive: true, force: true })
}

/** Runs a part. Even if it fails, each target gets a figure, and all its processes are ended. */
async function runPart(name: string, part: Part, context: Omit<PartContext, 'log' | 'load'>): Promise<Figure[]> {
  const limit = AbortSignal.timeout(part.limitMinutes * 60_000)
  const signal = AbortSignal.any([context.signal, limit])
  const log = (what: string) => print(`  ${name}`, what)
  const found = new Map<string, { value: number; note: string }>()
  let reason = 'no figure came out'
  const generator = startHelper('load-generator.ts')
  const load = async (job: Job) => {
    signal.throwIfAborted()
    generator.send(job)
    return responseOf<LoadFigures>(generator, (job.seconds ?? MAX_ONCE_SECONDS) * 1000 + LOAD_GRACE_MS)
  }
  const measured = (async () => {
    for await (const { target, ...finding } of part.measure({ ...context, load, signal, log })) {
      if (Number.isFinite(finding.value)) found.set(target, finding)
      const { what = target, unit = '' } = part.targets[target] ?? {}
      print(`  ${what}`, `${withUnit(finding.value, unit)} (${finding.note})`)
    }
  })()
  const aborted = once(signal, 'abort').then((): never => {
    throw limit.aborted ? new Error(`took longer than ${part.limitMinutes} minutes`) : signal.reason
  })
  const begin = performance.now()
  try {
    await Promise.race([measured, aborted])
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error)
    print(`  ${name} failed`, reason)
  }
  await endAllProcesses()
  // Its own clean-up, once its processes have ended.
  await Promise.race([measured.catch(() => undefined), sleep(ORDER_MS, undefined, { ref: false })])
  print(name, `${((performance.now() - begin) / 1000).toFixed(0)} s`)
  return Object.entries(part.targets).map(([key, target]) => ({
    part: name,
    ...target,
    ...(found.get(key) ?? { note: reason }),
  }))
}

/** What a part would have found, and why it has not. */
function notMeasured(name: string, part: Part, note: string): Figure[] {
  return Object.values(part.targets).map((target) => ({ part: name, ...target, note }))
}

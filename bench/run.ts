/*
 * Measures all that is to be reached, on an embedded PostgreSQL of its own, as ratios within the run.
 * `npm run bench -- [--only PART[,PART]] [campaigns] [claims]`; with `BENCH_DATA=folder`, the facts are kept there for the
 * next run. What all parts have found at the full size is written to `bench/results/`, else to a folder that is told.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { answerOf, endAllProcesses, startHelper } from './child-processes.ts'
import { openFactsDatabase } from './facts-database.ts'
import { type Figure, withUnit } from './figures.ts'
import { print } from './measure.ts'
import type { Part, PartContext } from './part.ts'
import { batch } from './parts/batch.ts'
import { feeding } from './parts/feed.ts'
import { filters } from './parts/filters.ts'
import { importing } from './parts/import.ts'
import { pagesAndWindows } from './parts/pages-and-windows.ts'
import { againstPostgraphile } from './parts/postgraphile.ts'
import { repeated } from './parts/repeated.ts'
import { start } from './parts/start.ts'
import type { Job, LoadFigures } from './processes/load-generator.ts'
import { describeEnvironment, toMarkdown, writeResults } from './results.ts'

/** In the order in which they are run: the cheap ones first, and the feed before anything else has written much. */
const parts: Record<string, Part> = {
  start,
  batch,
  repeated,
  postgraphile: againstPostgraphile,
  feed: feeding,
  windows: pagesAndWindows,
  filters,
  import: importing,
}

const FULL_SIZE = [1_000_000, 10_000_000] as const
/** More than a load takes, for whatever is still under way at its end. */
const LOAD_GRACE_MS = 30_000

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

/** Everything stops in order when the operator has had enough. */
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted.abort(new Error('interrupted'))
    void endAllProcesses()
  })
}

/** Runs a part; whatever becomes of it, there is a figure for each of its targets, and none of its processes is left. */
async function runPart(
  name: string,
  part: Part,
  context: Omit<PartContext, 'signal' | 'say' | 'load'>,
): Promise<Figure[]> {
  const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(part.limitMinutes * 60_000)])
  const say = (what: string) => print(`  ${name}`, what)
  const found = new Map<string, { value: number; note: string }>()
  let reason = 'not measured'
  const generator = startHelper('load-generator.ts')
  const load = async (job: Job) => {
    signal.throwIfAborted()
    generator.send(job)
    return answerOf<LoadFigures>(generator, job.seconds * 1000 + LOAD_GRACE_MS)
  }
  const measured = (async () => {
    for await (const { target, ...finding } of part.measure({ ...context, load, signal, say })) {
      found.set(target, finding)
      const { what = target, unit = '' } = part.targets[target] ?? {}
      print(`  ${what}`, `${withUnit(finding.value, unit)} (${finding.note})`)
    }
  })()
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  const begin = performance.now()
  try {
    await Promise.race([measured, aborted])
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error)
    print(`  ${name} failed`, reason)
  }
  await endAllProcesses()
  // What it still has to put in order, once its processes have ended.
  await Promise.race([measured.catch(() => undefined), sleep(60_000, undefined, { ref: false })])
  print(name, `${((performance.now() - begin) / 1000).toFixed(0)} s`)
  return Object.entries(part.targets).map(([key, target]) => ({
    part: name,
    ...target,
    ...(found.get(key) ?? { note: reason }),
  }))
}

const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-bench-run-'))
const begin = performance.now()
// biome-ignore lint/style/noProcessEnv: a setting of the measurement, not of the service.
const keptIn = process.env.BENCH_DATA || undefined
if (keptIn !== undefined) await mkdir(keptIn, { recursive: true, mode: 0o700 })
const facts = await openFactsDatabase(campaigns, claims, { keptIn, signal: interrupted.signal })
try {
  const environment = await describeEnvironment(facts.url, facts.settings)
  const figures: Figure[] = []
  for (const name of names) {
    const part = parts[name]
    if (part === undefined || interrupted.signal.aborted) continue
    print(name, 'begins')
    figures.push(...(await runPart(name, part, { campaigns, claims, facts, folder })))
  }
  const results = {
    date: new Date().toISOString(),
    ...{ campaigns, claims, minutes: (performance.now() - begin) / 60_000, environment, figures },
  }
  print('\nresults', `\n\n${toMarkdown(results)}`)
  const isWhole = names.length === Object.keys(parts).length && campaigns === FULL_SIZE[0] && claims === FULL_SIZE[1]
  const output = values.output ?? (isWhole ? join(import.meta.dirname, 'results') : undefined)
  if (output !== undefined && !interrupted.signal.aborted) {
    await writeResults(output, results)
    print('written to', output)
  }
} finally {
  await endAllProcesses()
  await facts.close()
  await rm(folder, { recursive: true, force: true })
}

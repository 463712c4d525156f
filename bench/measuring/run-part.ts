import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job, LoadFigures } from '../processes/load-generator.ts'
import { endAllProcesses, responseOf, startHelper } from './child-processes.ts'
import { print } from './measure.ts'
import { type Figure, withUnit } from './measurements.ts'
import type { Part, PartContext } from './part.ts'

/** Added to the time of a load, for requests still pending at its end. */
const LOAD_GRACE_MS = 30_000

/** How long the clean-up of an interrupted part may take. */
const ORDER_MS = 60_000

/** Runs a part. Even if it fails, each target gets a figure, and all its processes are ended. */
export async function runPart(name: string, part: Part, context: Omit<PartContext, 'log' | 'load'>): Promise<Figure[]> {
  const limit = AbortSignal.timeout(part.limitMinutes * 60_000)
  const signal = AbortSignal.any([context.signal, limit])
  const log = (what: string) => print(`  ${name}`, what)
  const found = new Map<string, { value: number; note: string }>()
  let reason = 'no figure came out'
  const generator = startHelper('load-generator.ts')
  const load = async (job: Job) => {
    signal.throwIfAborted()
    generator.send(job)
    return responseOf<LoadFigures>(generator, job.seconds * 1000 + LOAD_GRACE_MS)
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
export const notMeasured = (name: string, part: Part, note: string): Figure[] =>
  Object.values(part.targets).map((target) => ({ part: name, ...target, note }))

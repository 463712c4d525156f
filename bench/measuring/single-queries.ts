import { setTimeout as sleep } from 'node:timers/promises'
import { medianOf, toText } from './measure.ts'
import type { Contestant, PartContext } from './part.ts'
import { createServerTimer } from './processor-time.ts'

/** A backend updates its processor time shortly after its client has the response. */
const AFTERWARDS_MS = 2

export type SendRequest = (path: string) => Promise<number>

/** Sends one request at a time and returns PostgreSQL's processor time in milliseconds, also if the request fails. */
export function createSender({ facts, signal }: PartContext, { url }: Contestant): SendRequest {
  const serverMs = createServerTimer(facts.folder)
  return async (path) => {
    signal.throwIfAborted()
    const before = serverMs()
    const response = await fetch(url + path)
    await response.arrayBuffer()
    if (!response.ok && response.status !== 503) throw new Error(`${path}: ${response.status}`)
    await sleep(AFTERWARDS_MS)
    return serverMs() - before
  }
}

/** Sends each query so many times, once more to warm up, and stops early if one takes long. */
export async function measureEach<QueryCase extends { name: string }>(
  send: SendRequest,
  queries: QueryCase[],
  toPath: (queryCase: QueryCase) => string,
  { turns = 7, longMs = 1000 } = {},
) {
  const times: { name: string; ms: number }[] = []
  for (const queryCase of queries) {
    const own: number[] = []
    await send(toPath(queryCase))
    for (let turn = 0; turn < turns && own.reduce((sum, ms) => sum + ms, 0) < longMs; turn += 1) {
      own.push(await send(toPath(queryCase)))
    }
    times.push({ name: queryCase.name, ms: medianOf(own) })
  }
  return times
}

/** The slowest query, for the results. */
export function worstOf(times: { name: string; ms: number }[]) {
  const sorted = [...times].sort((one, other) => other.ms - one.ms)
  const [worst] = sorted
  return {
    value: worst?.ms ?? Number.NaN,
    note: `${times.length} questions, median ${toText(medianOf(times.map(({ ms }) => ms)))} ms; hardest: ${sorted
      .slice(0, 3)
      .map(({ name, ms }) => `${name} ${toText(ms)} ms`)
      .join('; ')}`,
  }
}

/*
 * Simulates visitors for ten minutes, with one block a second, and checks every minute whether memory grows: the
 * resident memory, and the heap after a garbage collection. Exits with 1 if it grows or a request fails. Needs Linux.
 * `npm run bench:steady -- [minutes] [campaigns] [claims]`
 */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openIngest } from '../../src/ingest/batches.ts'
import { closedPort } from '../../test/setup/servers/sockets.ts'
import { openFactsDatabase } from '../data/facts-database.ts'
import { findAny, findMostClaimed, findPopular } from '../data/popular-facts.ts'
import { endAllProcesses } from '../measuring/child-processes.ts'
import { medianOf, print } from '../measuring/measure.ts'
import { residentMegabytes } from '../measuring/processor-time.ts'
import { CACHE_MEGABYTES } from '../parts/requests/repeated.ts'
import { createFeed } from '../service/feed.ts'
import { mixedPaths } from '../service/queries.ts'
import { startServe } from '../service/service.ts'

const VISITORS = 20
/** Maximum delay of a visitor after a response. */
const MAX_PAUSE_MS = 40
const POLL_INTERVAL_MS = 500
/** Until then, cached responses fill their memory limit. */
const FILLING_MINUTES = 3
/** What the last three minutes may have more than the three after that. */
const MAX_GROWTH = 1.05

const [minutes = 10, campaigns = 100_000, claims = 1_000_000] = process.argv.slice(2).map(Number)

const megabytes = (bytes: number) => bytes / 2 ** 20

async function heapMegabytes(metricsUrl: string) {
  const text = await (await fetch(metricsUrl)).text()
  return megabytes(Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1]))
}

/** Most requests repeat others; some are new, some get 404, some are not allowed. */
function nextPath(common: string[], ids: string[]) {
  const kind = randomInt(20)
  if (kind === 0) return { path: `/campaigns?page=${1 + randomInt(5000)}&pageSize=${1 + randomInt(50)}`, status: 200 }
  if (kind === 1) return { path: `/campaigns/${ids[randomInt(ids.length)]}`, status: 200 }
  if (kind === 2) return { path: `/nothing/${randomInt(1_000_000)}`, status: 404 }
  if (kind === 3) return { path: '/users/profile', status: 401 }
  return { path: common[randomInt(common.length)] ?? '/campaigns', status: 200 }
}

const over = new AbortController()
const facts = await openFactsDatabase(campaigns, claims, { reuseFolder: undefined, signal: over.signal })
try {
  const popular = await findPopular(facts.url)
  const [max, others] = [await findMostClaimed(facts.url), await findAny(facts.url, 5000)]
  const common = mixedPaths(popular, max, others)
  const metricsPort = await closedPort()
  await using service = await startServe(
    { folder: facts.folder, signal: over.signal },
    {
      ...{ DATABASE_URL: facts.url, METRICS_PORT: String(metricsPort) },
      RESPONSE_CACHE_MB: String(CACHE_MEGABYTES),
    },
  )
  const { url, process: child } = service
  const ingest = await openIngest(facts.url)
  const feed = createFeed(ingest, popular, max, others)
  const feeding = feed.run(over.signal, () => undefined)

  let asked = 0
  const failures: string[] = []
  const visit = async () => {
    const tags = new Map<string, string>()
    while (!over.signal.aborted) {
      const { path, status } = nextPath(common, others)
      const tag = tags.get(path)
      const response = await fetch(url + path, tag === undefined ? {} : { headers: { 'if-none-match': tag } })
      await response.arrayBuffer()
      asked += 1
      if (response.status !== status && response.status !== 304) failures.push(`${path}: ${response.status}`)
      const given = response.headers.get('etag')
      if (given !== null) tags.set(path, given)
      await sleep(randomInt(MAX_PAUSE_MS))
    }
  }
  const visitors = Array.from({ length: VISITORS }, visit)

  const resident: number[] = []
  const heap: number[] = []
  try {
    for (let minute = 1; minute <= minutes; minute += 1) {
      const [residents, heaps]: [number[], number[]] = [[], []]
      const before = asked
      for (const end = performance.now() + 60_000; performance.now() < end; await sleep(POLL_INTERVAL_MS)) {
        residents.push(residentMegabytes(child.pid))
        heaps.push(await heapMegabytes(`http://127.0.0.1:${metricsPort}/metrics`))
      }
      resident.push(medianOf(residents))
      heap.push(Math.min(...heaps))
      print(
        `minute ${minute}`,
        `resident ${Math.round(medianOf(residents))} MB, at most ${Math.round(Math.max(...residents))}; heap ${Math.min(...heaps).toFixed(1)} MB at least, ${Math.max(...heaps).toFixed(1)} at most; ${asked - before} requests; ${feed.batchMs.length} blocks so far`,
      )
    }
  } finally {
    over.abort()
    await Promise.all([...visitors, feeding])
    await ingest.close()
  }
  const growthOf = (figures: number[]) =>
    medianOf(figures.slice(-3)) / medianOf(figures.slice(FILLING_MINUTES, FILLING_MINUTES + 3))
  const growth = { resident: growthOf(resident), heap: growthOf(heap) }
  print(
    `the last three minutes against minutes ${FILLING_MINUTES + 1} to ${FILLING_MINUTES + 3}`,
    JSON.stringify(growth),
  )
  print('requests', `${asked}, ${failures.length} failed ${failures.slice(0, 5).join('; ')}`)
  if (failures.length > 0 || growth.resident > MAX_GROWTH || growth.heap > MAX_GROWTH) process.exitCode = 1
} finally {
  over.abort()
  await endAllProcesses()
  await facts.close()
}

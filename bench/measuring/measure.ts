import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config.ts'
import { openServingDatabase } from '../../src/database/connection/client.ts'
import { migrateDatabase } from '../../src/database/migrations.ts'
import { openEmbeddedServer } from '../../src/embedded/embedded-postgres.ts'

/** Runs with a migrated database on a server of its own; nothing of it is left behind. */
export async function withServer(
  serverSettings: Record<string, string>,
  use: (url: string, folder: string) => Promise<unknown>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-bench-'))
  try {
    const server = await openEmbeddedServer(join(folder, 'data'), { serverSettings })
    try {
      await migrateDatabase(server.url)
      await use(server.url, folder)
    } finally {
      await server.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const openLanes = (url: string) =>
  openServingDatabase({
    url,
    poolSize: 10,
    connectionTimeoutMs: 10_000,
    statementTimeoutMs: 60_000,
    onIdleError: () => undefined,
  })

export const openPool = (url: string) => openLanes(url).queries

/** The service on a socket of its own; 0 megabytes disable the response cache. */
export async function withApp<T>(databaseUrl: string, cacheMegabytes: number, use: (url: string) => Promise<T>) {
  const { queries, lookups, close } = openLanes(databaseUrl)
  const settings = readSettings({ LOG_LEVEL: 'silent', RESPONSE_CACHE_MB: String(cacheMegabytes) })
  const app = await buildApp({
    database: queries.database,
    lookups: lookups.database,
    settings,
    isReady: async () => true,
  })
  try {
    return await use(await app.listen({ host: '127.0.0.1', port: 0 }))
  } finally {
    await app.close()
    await close()
  }
}

/** Requests a second at 50 connections. */
export async function load(url: string) {
  const { requests, non2xx, errors } = await autocannon({ url, connections: 50, duration: 5 })
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx + errors} requests failed`)
  return requests.average
}

export async function request(url: string) {
  const response = await fetch(url)
  const body = Buffer.from(await response.arrayBuffer())
  if (!response.ok) throw new Error(`${url}: ${response.status} ${body}`)
  return body
}

/** How long each of several turns takes, in milliseconds, the shortest first. */
export async function timesOf(turns: number, act: () => Promise<unknown>) {
  const times: number[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const start = performance.now()
    await act()
    times.push(performance.now() - start)
  }
  return times.sort((one, other) => one - other)
}

/** The time that a share of the turns keeps below, of sorted times. */
export const percentile = (times: number[], share: number) =>
  times[Math.min(Math.floor(times.length * share), times.length - 1)] ?? Number.NaN
export const median = (times: number[]) => percentile(times, 0.5)

export const print = (what: string, figure: string) => process.stdout.write(`${what}: ${figure}\n`)
export const seconds = (ms: number) => (ms / 1000).toFixed(1)
export const percent = (share: number) => `${Math.round(share * 100)} %`

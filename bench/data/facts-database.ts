import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import pg from 'pg'
import type { EmbeddedServer } from 'reward-campaigns-embedded-postgres'
import { migrateDatabase } from '../../src/database/migrate-database.ts'
import { openEmbeddedDatabase } from '../../src/process/embedded-database.ts'
import { print, seconds } from '../measuring/measure.ts'
import { generateFacts } from './generated-facts.ts'

/** Claims reach this far into the future; without them, no claim would enter a window. */
const OLDEST_HOURS = 20

/** A quarter of the memory, as is usual for a server. Everything else, durability above all, is as it comes. */
const MEASURED_SETTINGS = {
  shared_buffers: `${Math.min(4096, Math.floor(totalmem() / 2 ** 22))}MB`,
  max_wal_size: '16GB',
}

/** Facts that are lost when the machine crashes while they are made are made again. */
const MAKING_SETTINGS = { ...MEASURED_SETTINGS, fsync: 'off', full_page_writes: 'off' }

export interface FactsDatabase {
  /** The connection string of the running server. */
  readonly url: string
  /** What `DATA_DIR` would be. */
  readonly folder: string
  /** The settings of the server. */
  readonly settings: Record<string, string>
  /** Runs while the server is stopped, and starts it again. */
  whileStopped: <T>(use: () => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

/**
 * A server with generated facts in a folder of its own, which is gone at the end; or in a folder below `reuseFolder`, where they
 * are found the next time, for as long as they are like those that would be made.
 */
export async function openFactsDatabase(
  campaigns: number,
  claims: number,
  { reuseFolder, signal }: { reuseFolder: string | undefined; signal: AbortSignal },
): Promise<FactsDatabase> {
  if (reuseFolder !== undefined) await removeOutdated(reuseFolder)
  const folder =
    reuseFolder === undefined
      ? await mkdtemp(join(tmpdir(), 'reward-campaigns-bench-'))
      : join(reuseFolder, `${campaigns}-${claims}-${await fingerprint()}`)
  const dataFolder = join(folder, 'data')
  const remove = () => rm(folder, { recursive: true, force: true })
  // Whoever is killed while it measures leaves what it has written.
  if (existsSync(join(folder, IN_USE))) {
    throw new Error(`a run uses ${folder}, or was ended before it had removed what it wrote: then remove the folder`)
  }
  const age = await ageOf(folder)
  if (age === undefined || age > OLDEST_HOURS) {
    await remove()
    try {
      await makeFacts(dataFolder, campaigns, claims, signal)
    } catch (error) {
      await remove()
      throw error
    }
    await writeFile(join(folder, WHOLE), '')
  } else {
    print(`${campaigns} campaigns and ${claims} claims`, `kept for ${age.toFixed(1)} hours`)
    await readAll(dataFolder)
  }
  if (reuseFolder !== undefined) await rename(join(folder, WHOLE), join(folder, IN_USE))
  const open = () => openEmbeddedDatabase(dataFolder, { serverSettings: MEASURED_SETTINGS })
  let server: EmbeddedServer | undefined = await open()
  return {
    folder: dataFolder,
    settings: MEASURED_SETTINGS,
    get url() {
      if (server === undefined) throw new Error('the server is stopped')
      return server.url
    },
    async whileStopped(use) {
      await server?.close()
      server = undefined
      try {
        return await use()
      } finally {
        server = await open()
      }
    },
    async close() {
      await server?.close()
      server = undefined
      if (reuseFolder === undefined) await remove()
      else await rename(join(folder, IN_USE), join(folder, WHOLE))
    },
  }
}

/** The file that says that facts were made to the end, and when. */
const WHOLE = 'whole'

/** Its name while they are measured with. */
const IN_USE = 'in use'

/** Hours since the facts of a folder were made; undefined where they are not whole. */
const ageOf = (folder: string) =>
  stat(join(folder, WHOLE)).then(
    ({ mtimeMs }) => (Date.now() - mtimeMs) / 3_600_000,
    () => undefined,
  )

/** Removes facts that no run would use again. */
async function removeOutdated(dataFolder: string) {
  for (const name of await readdir(dataFolder)) {
    if (/^\d+-\d+-[0-9a-f]{12}$/.test(name) && ((await ageOf(join(dataFolder, name))) ?? 0) > OLDEST_HOURS) {
      await rm(join(dataFolder, name), { recursive: true, force: true })
    }
  }
}

async function makeFacts(dataFolder: string, campaigns: number, claims: number, signal: AbortSignal) {
  const start = performance.now()
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const server = await openEmbeddedDatabase(dataFolder, { serverSettings: MAKING_SETTINGS })
  try {
    await fillDatabase(server.url, campaigns, claims, signal)
  } finally {
    await server.close()
  }
  print(`${campaigns} campaigns and ${claims} claims`, `made in ${seconds(performance.now() - start)} s`)
}

async function fillDatabase(url: string, campaigns: number, claims: number, signal?: AbortSignal) {
  await migrateDatabase(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const giveUp = () => void client.end()
  signal?.addEventListener('abort', giveUp)
  try {
    await generateFacts(client, campaigns, claims)
  } finally {
    signal?.removeEventListener('abort', giveUp)
    await client.end()
  }
}

/** Runs with a second database on the same server, for the same queries on fewer facts. */
export async function withSecondDatabase<T>(
  url: string,
  campaigns: number,
  claims: number,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const secondUrl = new URL(url)
  secondUrl.pathname = '/bench_beside'
  const execute = async (sql: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  await execute('drop database if exists bench_beside with (force)')
  await execute('create database bench_beside')
  try {
    await fillDatabase(secondUrl.href, campaigns, claims)
    return await use(secondUrl.href)
  } finally {
    await execute('drop database if exists bench_beside with (force)')
  }
}

/** A hash of what the facts depend on: the generator and the migrations. */
async function fingerprint() {
  const migrations = join(import.meta.dirname, '../../migrations')
  const names = (await readdir(migrations)).filter((name) => name.endsWith('.sql')).sort()
  const hash = createHash('sha256')
  for (const file of [
    ...names.map((name) => join(migrations, name)),
    join(import.meta.dirname, 'generated-facts.ts'),
  ]) {
    hash.update(await readFile(file))
  }
  return hash.digest('hex').slice(0, 12)
}

/** Reads older files into the page cache, as if they had just been written. */
async function readAll(folder: string) {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await finished(createReadStream(join(entry.parentPath, entry.name)).resume())
  }
}

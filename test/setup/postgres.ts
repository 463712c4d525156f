import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrateDatabase } from '../../src/database/migrate-database.ts'
import { openEmbeddedDatabase } from '../../src/process/embedded-database.ts'
import { databaseUrl } from './servers/database-url.ts'
import { SERVERS } from './servers/server-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server for all tests. */
    serverUrl: string
    /** The migrated database on it, which tests clone. */
    templateDatabase: string
  }
}

const root = join(import.meta.dirname, '../..')

/** What is lost when the machine fails is made again. */
const SERVER_SETTINGS = { fsync: 'off', full_page_writes: 'off', max_wal_size: '512MB' }

/** Advisory locks: a run holds the first, shared; one at a time prepares the template. */
const LOCKS = { run: 1, template: 2 }

/**
 * Provides one real PostgreSQL for all projects of a run: a container where Docker answers, else the embedded server. That
 * one keeps its data between runs of the same checkout, and runs at the same time share it; the last one stops it.
 */
export default async function setup(project: TestProject) {
  if (project.getProvidedContext().serverUrl !== undefined) return undefined
  const server = (await isDockerThere()) ? await startContainer() : await startEmbedded()
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const templateDatabase = `template_${await hashMigrations()}`
  await removeLeftovers(client, templateDatabase)
  await prepareTemplate(client, server.url, templateDatabase)
  project.vitest.provide('serverUrl', server.url)
  project.vitest.provide('templateDatabase', templateDatabase)
  return async () => {
    await removeLeftovers(client, templateDatabase)
    await client.end()
    await server.close()
  }
}

/** Removes what runs have left, unless another run goes on; from then on this run holds its lock. */
async function removeLeftovers(client: pg.Client, templateDatabase: string) {
  const { rows } = await client.query(`select pg_try_advisory_lock(${LOCKS.run}) as "isAlone"`)
  if (rows[0].isAlone) {
    const leftovers = await client.query(
      `select format('drop database %I with (force)', datname) as statement from pg_database
       where datname ~ '^(test|template)_' and datname <> $1
       union all select format('drop role %I', rolname) from pg_roles where rolname ~ '^test_'`,
      [templateDatabase],
    )
    for (const { statement } of leftovers.rows) await client.query(statement)
  }
  await client.query(`select pg_advisory_lock_shared(${LOCKS.run})`)
  if (rows[0].isAlone) await client.query(`select pg_advisory_unlock(${LOCKS.run})`)
}

/** Under its name stands a template that is complete. */
async function prepareTemplate(client: pg.Client, serverUrl: string, name: string) {
  await client.query(`select pg_advisory_lock(${LOCKS.template})`)
  const found = await client.query('select from pg_database where datname = $1', [name])
  if (found.rows.length === 0) {
    const unfinished = `${name}_unfinished`
    await client.query(`drop database if exists ${unfinished} with (force)`)
    await client.query(`create database ${unfinished}`)
    await migrateDatabase(databaseUrl(serverUrl, unfinished))
    await client.query(`alter database ${unfinished} rename to ${name}`)
  }
  await client.query(`select pg_advisory_unlock(${LOCKS.template})`)
}

/** Changes with the migrations and their times, the sources of functions, views and triggers, and the code that applies them. */
async function hashMigrations() {
  const hash = createHash('sha256')
  for (const folder of ['migrations', 'src/database', 'src/read-models']) {
    for (const name of (await readdir(join(root, folder), { recursive: true })).sort()) {
      if (/\.sql$|^(migrat|schema-)|_journal\.json$/.test(name)) hash.update(await readFile(join(root, folder, name)))
    }
  }
  return hash.digest('hex').slice(0, 16)
}

/** Where Docker and its settings are. Without any of them nobody has to ask it, which takes longer than many tests. */
const DOCKER_FILES = [
  '/var/run/docker.sock',
  join(`/run/user/${process.getuid?.()}`, 'docker.sock'),
  join(homedir(), '.docker'),
  join(homedir(), '.testcontainers.properties'),
]

async function isDockerThere() {
  const isNamed = Object.keys(env).some((name) => /^(DOCKER|TESTCONTAINERS)_/.test(name))
  if (!isNamed && process.platform !== 'win32' && !DOCKER_FILES.some((file) => existsSync(file))) return false
  const { getContainerRuntimeClient } = await import('testcontainers')
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  )
}

async function startContainer() {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql')
  const container = await new PostgreSqlContainer('postgres:18').withCommand(['-c', 'fsync=off']).start()
  return { url: container.getConnectionUri(), close: async () => void (await container.stop()) }
}

/** Tests log in tens of thousands of times, each time with as much work as keeps a password from being guessed. */
async function hastenLogins(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('set scram_iterations = 1')
  await client.query(`alter role current_user password ${client.escapeLiteral(new URL(url).password)}`)
  await client.end()
}

/** One for each checkout and each version of PostgreSQL, where every account can reach it. */
async function startEmbedded() {
  const { optionalDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const key = createHash('sha256')
    .update(JSON.stringify([root, optionalDependencies]))
    .digest('hex')
    .slice(0, 16)
  const folder = join(SERVERS, `reward-campaigns-test-${key}`)
  const server = await openEmbeddedDatabase(folder, { serverSettings: SERVER_SETTINGS })
  await hastenLogins(server.url)
  return server
}

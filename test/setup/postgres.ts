import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgreSqlContainer } from '@testcontainers/postgresql'
import pg from 'pg'
import { getContainerRuntimeClient } from 'testcontainers'
import type { TestProject } from 'vitest/node'
import { migrateDatabase } from '../../src/database/migrations.ts'
import { openEmbeddedServer } from '../../src/embedded/embedded-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server with the database `template_migrated`, which tests clone. */
    serverUrl: string
  }
}

/** Starts one real PostgreSQL for all tests: a container where Docker answers, else the embedded server. */
export default async function setup(project: TestProject) {
  const server = (await isDockerThere()) ? await startContainer() : await startEmbedded()
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('create database template_migrated')
  await client.end()
  await migrateDatabase(databaseUrl(server.url, 'template_migrated'))
  project.provide('serverUrl', server.url)
  return server.close
}

/** The URL of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string) {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

const isDockerThere = () =>
  getContainerRuntimeClient().then(
    () => true,
    () => false,
  )

async function startContainer() {
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

async function startEmbedded() {
  const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-test-'))
  const server = await openEmbeddedServer(folder, { serverSettings: { fsync: 'off' } })
  await hastenLogins(server.url)
  return {
    url: server.url,
    async close() {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

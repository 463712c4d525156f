import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { readMigrations } from '../../src/database/schema-version.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { runCli, startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'

const quick = { PORT: '0', DATABASE_ACQUIRE_TIMEOUT_MS: '1000' }

/** A database whose schema is behind, and the lock that a migrating process holds. */
async function aMigratingDatabase() {
  const database = await createTestDatabase()
  await empty(database)
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  await holder.query('select pg_advisory_lock(7201002)')
  return {
    ...database,
    finish: () => holder.query('select pg_advisory_unlock_all()'),
    async [Symbol.asyncDispose]() {
      await holder.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

const empty = (database: TestDatabase) =>
  database.query('drop schema if exists drizzle cascade; drop schema public cascade; create schema public')

/** Takes connections and never says a word. */
async function aMuteServer() {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `postgres://user:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}/database`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

// Some wait for a server that says nothing.
describe.concurrent('serve', () => {
  test('listens while its server takes connections and never answers, and goes on trying', async () => {
    await using server = await aMuteServer()
    await using service = startCli(['serve'], { ...quick, DATABASE_URL: server.url, MIGRATE_ON_START: 'true' })
    const url = await service.address()
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    for (const path of ['/readyz', '/campaigns', '/users/profile']) {
      const refused = await fetch(url + path)
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/)
      expect(await refused.json()).toEqual({ error: expect.stringMatching(/^the service is not ready: /) })
    }
    await service.said(/(the database cannot be reached)/)
    service.child.kill('SIGTERM')
    expect(await service.ended).toMatchObject({ code: 0, signal: null })
    expect(service.stdout + service.stderr).not.toContain('hunter2')
  })

  test('waits until another process has migrated, though its connection is cut meanwhile', async () => {
    await using database = await aMigratingDatabase()
    await using service = startCli(['serve'], { ...quick, DATABASE_URL: database.url, MIGRATE_ON_START: 'true' })
    const url = await service.address()
    await service.said(/(another process migrates)/)
    expect((await fetch(`${url}/campaigns`)).status).toBe(503)
    await waitFor(async () => {
      const cut = await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'reward-campaigns migrate' and datname = current_database()`,
      )
      return cut.length > 0 ? true : undefined
    })
    await service.said(/(the database cannot be reached)/)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    await database.finish()
    expect(await (await fetch(`${await service.ready()}/campaigns`)).json()).toEqual({
      campaigns: [],
      totalCampaigns: 0,
    })
  })
})

describe.concurrent('migrate', () => {
  test('ends with a sentence where the server takes connections and never answers', async () => {
    await using server = await aMuteServer()
    const result = await runCli(['migrate'], { DATABASE_URL: server.url })
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toMatch(/^the database cannot be reached: [^\n]+\n$/)
  })

  test('says that it waits for another process', async () => {
    await using database = await aMigratingDatabase()
    await using migrating = startCli(['migrate'], { DATABASE_URL: database.url })
    await migrating.said(/(another process migrates)/)
    expect(migrating.child.exitCode).toBe(null)
    await database.finish()
    expect(await migrating.ended).toMatchObject({ code: 0 })
  })

  test('says what it has done', async () => {
    await using database = await createTestDatabase()
    const upToDate = await runCli(['migrate'], { DATABASE_URL: database.url })
    expect(upToDate).toMatchObject({ code: 0, stdout: 'the schema is current; nothing to do\n', stderr: '' })
    const sources = await database.query('select name from schema_sources')
    await empty(database)
    const migrated = await runCli(['migrate'], { DATABASE_URL: database.url })
    const { length } = readMigrations()
    const stdout = `the schema is current; ${length} ${length === 1 ? 'migration' : 'migrations'} and ${sources.length} functions, views and triggers were applied\n`
    expect(migrated).toMatchObject({ code: 0, stdout, stderr: '' })
  })

  test.each([
    ['nobody listens', 'postgres://user:hunter2@127.0.0.1:1/database', /ECONNREFUSED/],
    ['the host is not known', 'postgres://user:hunter2@host.invalid/database', /host\.invalid/],
  ])('says why the database cannot be reached: %s', async (_, DATABASE_URL, cause) => {
    const result = await runCli(['migrate'], { DATABASE_URL })
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toMatch(/^the database cannot be reached: [^\n]+\n$/)
    expect(result.stderr).toMatch(cause)
    expect(result.stderr).not.toContain('hunter2')
  })

  test.each([
    ['no such database', (url: URL) => Object.assign(url, { pathname: '/nowhere' }), /"nowhere" does not exist/],
    ['no TLS', (url: URL) => Object.assign(url, { search: 'sslmode=require' }), /SSL/],
    ['a wrong password', (url: URL) => Object.assign(url, { username: 'nobody', password: 'hunter2' }), /"nobody"/],
  ])('says why the database refuses: %s', async (_, change, cause) => {
    await using database = await createTestDatabase()
    const result = await runCli(['migrate'], { DATABASE_URL: change(new URL(database.url)).href })
    expect(result).toMatchObject({ code: 1, stdout: '' })
    // The driver may say something of its own about the mode of TLS before.
    expect(result.stderr).toMatch(/^the database cannot be reached: [^\n]+\n$/m)
    expect(result.stderr).toMatch(cause)
    expect(result.stderr).not.toContain('hunter2')
    expect(result.stderr).not.toMatch(/^ +at /m)
  })
})

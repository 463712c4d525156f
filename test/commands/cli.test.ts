import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { generateSample } from 'reward-campaigns-sample-data'
import { describe, expect, inject, test } from 'vitest'
import { query } from '../../packages/embedded-postgres/test/setup/servers.ts'
import { importFiles } from '../../src/commands/import.ts'
import { ConfigurationError, readSettings } from '../../src/config.ts'
import { importRecords } from '../../src/import/importer.ts'
import { renamedSettings } from '../../src/settings.ts'
import { aFolder } from '../setup/data/copied-folders.ts'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign, anAddress, anErc20Incentive } from '../setup/records.ts'
import { databaseUrl } from '../setup/servers/database-url.ts'
import { runInProcess } from '../setup/servers/in-process.ts'
import { runCli, startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'

const waitForStatus = (url: string, status: number) =>
  waitFor(async () => ((await fetch(url)).status === status ? true : undefined))

/** The name of a database that does not exist yet; `create` makes it, empty or from a template. */
function aDatabaseToCome() {
  const name = `test_${randomBytes(8).toString('hex')}`
  const onServer = async (sql: string) => {
    const client = new pg.Client({ connectionString: inject('serverUrl') })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  return {
    url: databaseUrl(inject('serverUrl'), name),
    create: (options = '') => onServer(`create database ${name} ${options}`),
    [Symbol.asyncDispose]: () => onServer(`drop database if exists ${name} with (force)`),
  }
}

const ndjson = (...records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')
const contract = { type: 'contract', chainId: 1, address: anAddress('contract'), name: 'Contract' }

describe('import', () => {
  test('reads standard input and prints a line of JSON for each type', async () => {
    await using database = await createTestDatabase()
    const token = anAddress('unknown token')
    const input = ndjson(contract, aCampaign({ incentives: [anErc20Incentive(token)] }), aCampaign())
    const result = await runCli(['import', '-', '--json'], { DATABASE_URL: database.url }, input)
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(
      result.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { type: 'token', records: 0 },
      { type: 'tokenPrice', records: 0 },
      { type: 'contract', records: 1 },
      { type: 'actionTemplate', records: 0 },
      { type: 'accessList', records: 0 },
      { type: 'campaign', records: 2 },
      { type: 'campaignMetadata', records: 0 },
      { type: 'claim', records: 0 },
      { type: 'claimSignature', records: 0 },
      { type: 'claimProof', records: 0 },
      { type: 'profile', records: 0 },
      { type: 'removal', records: 0 },
      { type: 'whitelist', hiddenCampaigns: 1, missingTokens: [{ token: `8453:${token}`, campaigns: 1 }] },
    ])
    expect(await database.query('select name from contracts')).toEqual([{ name: 'Contract' }])
    expect(await database.query('select count(*) from campaigns')).toEqual([{ count: '2' }])
  })

  test('--dry-run tells what would be hidden and which tokens are missing, and writes nothing', async () => {
    await using database = await createTestDatabase()
    const token = anAddress('unknown token')
    const hidden = () => aCampaign({ incentives: [anErc20Incentive(token)] })
    await using folder = await aFolder()
    const file = join(folder.path, 'records')
    await writeFile(file, ndjson(contract, hidden(), hidden(), aCampaign()))
    const settings = readSettings({ DATABASE_URL: database.url })
    const result = await runInProcess(() => importFiles(settings, [file], { dryRun: true }))
    expect(result).toMatchObject({ code: 0, stderr: '' })
    const [first, ...rest] = result.stdout.trimEnd().split('\n')
    expect(first).toBe('Checked, nothing was written:')
    expect(rest.slice(0, 2)).toEqual(['  contract: 1', '  campaign: 3'])
    expect(rest[2]).toMatch(/^2 campaigns are hidden by the default tokenWhitelist=true\./)
    expect(rest.slice(3)).toEqual([`  8453:${token} (2 campaigns)`])
    expect(await database.query('select from contracts union all select from campaigns')).toEqual([])
  })

  test('tells faults on standard error and ends with 1', async () => {
    await using database = await createTestDatabase()
    const input = ndjson(contract, { ...contract, chainId: '1' }, { ...contract, nam: '' })
    const result = await runCli(['import', '-'], { DATABASE_URL: database.url }, input)
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^standard input:2: \/chainId: must be a chain ID .*, got "1"$/),
      'standard input:3: /nam: is an unknown key',
      '2 faults, references not checked; nothing was imported',
    ])
    expect(await database.query('select from contracts')).toEqual([])
  })
})

describe('sample', () => {
  const SAMPLE = ['sample', '--campaigns', '30', '--claims', '200', '--seed', '5']
  const sampleAt = (now: Date) => {
    const records = [...generateSample({ campaigns: 30, claims: 200, seed: 5, now })]
    return records.map((record) => `${JSON.stringify(record)}\n`).join('')
  }

  test('is what import accepts, and ends at the last ten minutes that are full', async () => {
    await using database = await createTestDatabase()
    const tenMinutes = () => new Date(Math.floor(Date.now() / 600_000) * 600_000)
    const before = tenMinutes()
    const sample = await runCli(SAMPLE, {})
    expect(sample).toMatchObject({ code: 0, stderr: '' })
    expect([before, tenMinutes()].some((now) => sampleAt(now) === sample.stdout)).toBe(true)
    await importRecords(database.url, [{ name: 'the sample', bytes: Readable.from([Buffer.from(sample.stdout)]) }])
    expect(await database.query('select count(*) from campaigns')).toEqual([{ count: '30' }])
    expect(await database.query('select count(*) from claims')).toEqual([{ count: '200' }])
  })

  test('ends where --now says', async () => {
    const past = await runCli([...SAMPLE, '--now', '2026-03-01T13:00:00+01:00'], {})
    expect(past.stdout === sampleAt(new Date('2026-03-01T12:00:00Z'))).toBe(true)
  })

  test.each(['2026-03-01', '2026-13-01T00:00:00Z'])('refuses --now %s', async (now) => {
    const { code, stdout, stderr } = await runCli(['sample', '--now', now], {})
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('must be an ISO 8601 instant of this century')
  })

  test('is the same for the same seed and moment, and another for another seed', () => {
    const options = { campaigns: 50, claims: 500, seed: 7, now: new Date('2026-03-01T12:00:00Z') }
    const once = [...generateSample(options)]
    expect(once.length).toBeGreaterThan(550)
    expect([...generateSample(options)]).toEqual(once)
    expect([...generateSample({ ...options, seed: 8 })]).not.toEqual(once)
  })
})

describe('settings', () => {
  test('all faults are told at once, none with the connection string, and nothing is started', async () => {
    const result = await runCli(['serve'], {
      DATABASE_URL: 'mysql://user:hunter2@localhost/database',
      PORT: '70000',
      SURFACES: 'public,private',
      MIGRATE_ON_START: 'yes',
      LOG_LEVEL: 'loud',
      TRUSTED_PROXIES: '10.0.0.0/8,proxy',
    })
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr.trimEnd().split('\n').sort()).toEqual([
      expect.stringMatching(/^DATABASE_URL must be a connection string/),
      expect.stringMatching(/^LOG_LEVEL must be one of fatal, .*, got "loud"$/),
      expect.stringMatching(/^MIGRATE_ON_START must be true or false, got "yes"$/),
      expect.stringMatching(/^PORT must be an integer from 0 to 65535, got 70000$/),
      expect.stringMatching(/^SURFACES must be one of public, staging, got "private"$/),
      expect.stringMatching(/^TRUSTED_PROXIES must be IP addresses or ranges .*: invalid IP address: proxy$/),
    ])
    expect(result.stderr).not.toContain('hunter2')
  })

  test('an address of a proxy is written in full, so that no other one is trusted', () => {
    for (const proxy of ['10/8', '10.1', '010.0.0.1', '0x7f.1']) {
      expect(() => readSettings({ TRUSTED_PROXIES: proxy })).toThrow(`invalid IP address: ${proxy.split('/')[0]}`)
    }
    const proxies = ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1', 'loopback']
    expect(readSettings({ TRUSTED_PROXIES: proxies.join() }).TRUSTED_PROXIES).toEqual(proxies)
  })

  test('a setting under its former name is a fault that says the new name, unless it is empty', () => {
    for (const [former, name] of renamedSettings) {
      expect(() => readSettings({ [former]: '1' })).toThrow(`${former} is now called ${name}`)
      expect(readSettings({ [former]: '' })).toHaveProperty(name)
    }
  })

  test('a drain that would leave no time to end is a fault', () => {
    expect(readSettings({ DRAIN_SECONDS: '9' })).toMatchObject({ DRAIN_SECONDS: 9, SHUTDOWN_TIMEOUT_SECONDS: 10 })
    for (const [drain, timeout] of [
      ['10', '10'],
      ['5', '3'],
    ]) {
      expect(() => readSettings({ DRAIN_SECONDS: drain, SHUTDOWN_TIMEOUT_SECONDS: timeout })).toThrow(
        `DRAIN_SECONDS must be less than SHUTDOWN_TIMEOUT_SECONDS, got ${drain} and ${timeout}`,
      )
    }
  })

  test.each([
    'user:hunter2@localhost/database',
    'postgres://user:hunter2@local host/database',
    'postgres://user:hunter2@localhost:99999/database',
    'postgres://user:hunter2@[::1/database',
    'https://user:hunter2@localhost/database',
  ])('a malformed DATABASE_URL is a fault that does not tell the password: %s', (url) => {
    const read = () => readSettings({ DATABASE_URL: url })
    expect(read).toThrow(ConfigurationError)
    expect(read).toThrow(/^DATABASE_URL must be a connection string[^,]*$/)
    expect(read).not.toThrow(/hunter2/)
  })
})

describe('serve', () => {
  const quick = { PORT: '0', DATABASE_ACQUIRE_TIMEOUT_MS: '1000' }

  test('refuses a schema that is behind and names the command that mends it; is not ready, and says why, once an older one has been restored under it', async () => {
    await using database = aDatabaseToCome()
    await database.create()
    const settings = { ...quick, DATABASE_URL: database.url }
    const refused = await runCli(['serve'], settings)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^[^\n]*`reward-campaigns migrate`[^\n]*\n$/)
    expect(await runCli(['migrate'], settings)).toMatchObject({ code: 0, stderr: '' })
    await using service = startCli(['serve'], settings)
    const url = await service.ready()
    const [newest] = await query(
      database.url,
      'delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations) returning hash, created_at',
    )
    const unready = await fetch(`${url}/readyz`)
    expect(unready.status).toBe(503)
    expect(await unready.json()).toEqual({
      error: 'the database schema is older than this version of the service and has to be migrated',
    })
    await query(database.url, 'insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [
      newest?.hash,
      newest?.created_at,
    ])
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  })

  test('MIGRATE_ON_START brings the schema up to date, with several replicas at once', async () => {
    await using database = aDatabaseToCome()
    await database.create()
    const settings = { ...quick, DATABASE_URL: database.url, MIGRATE_ON_START: 'true' }
    await using first = startCli(['serve'], settings)
    await using second = startCli(['serve'], settings)
    for (const service of [first, second]) {
      const url = await service.ready()
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
      expect(await (await fetch(`${url}/campaigns`)).json()).toEqual({ campaigns: [], totalCampaigns: 0 })
    }
  })

  test('listens while its database is away, answers 503, and works once it is there', async () => {
    await using database = aDatabaseToCome()
    await using service = startCli(['serve'], { ...quick, DATABASE_URL: database.url })
    const url = await service.address()
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    const refused = await fetch(`${url}/campaigns`)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/)
    expect(await refused.json()).toEqual({ error: expect.stringMatching(/database/) })
    await database.create(`template ${inject('templateDatabase')} strategy file_copy`)
    await waitForStatus(`${url}/readyz`, 200)
    expect(await (await fetch(`${url}/campaigns`)).json()).toEqual({ campaigns: [], totalCampaigns: 0 })
  })

  test('listens while its server refuses connections', async () => {
    const DATABASE_URL = 'postgres://user:hunter2@127.0.0.1:1/nowhere'
    await using service = startCli(['serve'], { ...quick, DATABASE_URL, MIGRATE_ON_START: 'true' })
    const url = await service.address()
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    expect((await fetch(`${url}/campaigns`)).status).toBe(503)
    service.child.kill('SIGTERM')
    expect(await service.ended).toMatchObject({ code: 0, signal: null })
    expect(service.stdout + service.stderr).not.toContain('hunter2')
  })

  test('on SIGTERM does not wait for connections on which nothing, or only half a request, was sent', async () => {
    await using database = await createTestDatabase()
    await using service = startCli(['serve'], { ...quick, DATABASE_URL: database.url })
    const { port } = new URL(await service.ready())
    const sent = [
      '',
      'GET /livez HTTP/1.1\r\nhost: x\r\na: ',
      'GET /livez HTTP/1.1\r\nhost: x\r\n\r\nGET /liv',
      'GET /campaigns HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n',
      'POST /campaigns HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{',
      'POST /nothing HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{',
    ]
    const sockets = sent.map((text) =>
      connect(Number(port), '127.0.0.1', function (this: Socket) {
        this.write(text)
      }).on('error', () => undefined),
    )
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    await sleep(200)
    const start = performance.now()
    service.child.kill('SIGTERM')
    expect(await service.ended).toMatchObject({ code: 0, signal: null })
    expect(performance.now() - start).toBeLessThan(4000)
  })

  test('on SIGTERM answers the request under way, takes no other, and ends with 0', async () => {
    await using database = await createTestDatabase()
    await using service = startCli(['serve'], { ...quick, DATABASE_URL: database.url, STATEMENT_TIMEOUT_MS: '20000' })
    const url = await service.ready()
    expect((await fetch(`${url}/readyz`)).status).toBe(200)

    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    try {
      await holder.query('begin; lock table campaigns in access exclusive mode')
      const slow = fetch(`${url}/campaigns?pageSize=7`)
      await waitFor(async () => {
        const rows = await database.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        )
        return rows.length > 0 ? true : undefined
      })
      service.child.kill('SIGTERM')
      const isRefused = () =>
        fetch(`${url}/readyz`).then(
          ({ status }) => (status === 503 ? true : undefined),
          () => true,
        )
      expect(await waitFor(isRefused)).toBe(true)
      expect(service.child.exitCode).toBe(null)
      await holder.query('rollback')
      const response = await slow
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ campaigns: [], totalCampaigns: 0 })
      expect(await service.ended).toMatchObject({ code: 0, signal: null })
    } finally {
      await holder.end()
    }
  })
})

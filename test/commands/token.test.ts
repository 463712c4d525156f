import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToken, listTokens, type NewToken, revokeToken } from '../../src/commands/token.ts'
import { readSettings } from '../../src/config.ts'
import { explainFailure } from '../../src/database/connection/database-errors.ts'
import { createSecret } from '../../src/database/lookups/bearer-tokens.ts'
import type { Settings } from '../../src/settings.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { anAddress, inUpperCase } from '../setup/records.ts'
import { runInProcess } from '../setup/servers/in-process.ts'
import { type NodeProcess, type Result, runCli, startCli } from '../setup/servers/processes.ts'
import { closedPort } from '../setup/servers/sockets.ts'
import { bearing } from '../setup/tokens.ts'
import { waitFor } from '../setup/wait-for.ts'

/*
 * Tokens as an operator issues and revokes them, and one service in a process of its own that runs all the time and logs
 * everything. Commands are in one of theirs where their options, or how they end, are what matters.
 */

const SECRET = /^rcs_[A-Za-z0-9_-]{43}\n$/
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
const HOUR = 3_600_000

let database: TestDatabase
let settings: Settings
let service: NodeProcess
let url: string
/** All secrets there are, and all that commands have said beside them. */
const secrets: string[] = []
const said: string[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  settings = readSettings({ DATABASE_URL: database.url })
  service = startCli(['serve'], { DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'trace' })
  url = await service.ready()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

async function noted(running: Promise<Result>): Promise<Result> {
  const result = await running
  said.push(result.stderr, SECRET.test(result.stdout) ? '' : result.stdout)
  return result
}

const token = (...parameters: string[]) => noted(runCli(['token', ...parameters], { DATABASE_URL: database.url }))
const list = (options: { json?: boolean } = {}) => noted(runInProcess(() => listTokens(settings, options)))
const revoke = (id: string) => noted(runInProcess(() => revokeToken(settings, id)))

/** Issues a token, by options as the command has them or parameters of a process; its secret and its ID. */
async function create(options: NewToken | string[]) {
  const { code, stdout, stderr } = Array.isArray(options)
    ? await token('create', ...options)
    : await noted(runInProcess(() => createToken(settings, options)))
  expect(code, stderr).toBe(0)
  expect(stdout).toMatch(SECRET)
  const secret = stdout.trim()
  secrets.push(secret)
  const [id = ''] = UUID.exec(stderr) ?? []
  return { secret, id, stderr }
}

const stored = () => database.query('select * from credentials order by id')

/** Checks that a command refuses in one line or more, but without a stack, and stores nothing. */
async function refused(run: () => Promise<Result>) {
  const before = await stored()
  const { code, stdout, stderr } = await run()
  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).not.toMatch(/\n {4}at |node_modules/)
  expect(await stored()).toEqual(before)
  return stderr
}

const statusWith = async (secret: string, path = '/campaigns/accesslists?userId=user-1') =>
  (await fetch(`${url}${path}`, { headers: bearing(secret) })).status

async function expiryOf(id: string) {
  const [row] = await database.query('select expires_at from credentials where id = $1', [id])
  if (!(row?.expires_at instanceof Date)) throw new TypeError('the token has no end')
  return row.expires_at
}

const digestOf = (secret: string) => createHash('sha256').update(secret).digest()

/** The tables in which a row holds the text, in whatever column. */
async function tablesWith(text: string) {
  const tables = (await database.query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )) as { name: string }[]
  expect(tables.length).toBeGreaterThan(10)
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await database.query(`select from ${name} as row where strpos(row::text, $1) > 0`, [text])
      return rows.length > 0 ? [name] : []
    }),
  )
  return found.flat()
}

describe('token create', () => {
  test('prints the secret alone on standard output, once, and stores only its SHA-256', async () => {
    const address = anAddress('user')
    const options = ['--user', 'user-1', '--address', inUpperCase(address), '--name', 'of the test', '--admin']
    const { secret, id, stderr } = await create(options)
    expect(stderr).toMatch(/^Token [^\n]* of user user-1, an admin token, without expiry\. [^\n]*\n$/)
    expect(stderr).not.toContain(secret.slice(4))

    const digest = digestOf(secret)
    const columns = 'user_id, address, is_admin, name, expires_at, revoked_at, last_used_at, secret_digest'
    expect(await database.query(`select ${columns} from credentials where id = $1`, [id])).toEqual([
      {
        user_id: 'user-1',
        address,
        is_admin: true,
        name: 'of the test',
        expires_at: null,
        revoked_at: null,
        last_used_at: null,
        secret_digest: digest,
      },
    ])
    const bytes = Buffer.from(secret.slice(4), 'base64url').toString('hex')
    for (const text of [secret, secret.slice(4), Buffer.from(secret).toString('hex'), bytes]) {
      expect(await tablesWith(text)).toEqual([])
    }
    expect(await tablesWith(digest.toString('hex'))).toEqual(['public.credentials'])
    expect(await statusWith(secret)).toBe(200)
  })

  test('without more than a user issues a token of that user alone', async () => {
    const { secret } = await create({ user: 'user-1' })
    expect(await statusWith(secret)).toBe(200)
    expect(await statusWith(secret, '/campaigns/accesslists?userId=user-2')).toBe(403)
    expect(await statusWith(secret, '/users/profile')).toBe(400)
  })

  test.each([
    ['30s', 30_000],
    ['15m', HOUR / 4],
    ['12h', 12 * HOUR],
    ['90d', 90 * 24 * HOUR],
  ])('--expires %s counts from now on', async (expires, ms) => {
    const start = Date.now()
    const { id, stderr } = await create({ user: 'user-1', expires })
    const expiry = await expiryOf(id)
    const end = expiry.getTime() - ms
    expect(end).toBeGreaterThanOrEqual(start)
    expect(end).toBeLessThanOrEqual(Date.now())
    expect(stderr).toContain(expiry.toISOString())
  })

  test('--expires takes an ISO time with its zone', async () => {
    const { id } = await create({ user: 'user-1', expires: '2099-01-31T12:00:00+02:00' })
    expect(await expiryOf(id)).toEqual(new Date('2099-01-31T10:00:00Z'))
  })

  test('tells that a user is needed', async () => {
    expect(await refused(() => token('create'))).toContain('--user')
  })

  test('tells all that is faulty at once, by the names of the options', async () => {
    const long = 'x'.repeat(129)
    const stderr = await refused(() =>
      token('create', '--user', long, '--address', '0x12', '--expires', 'soon', '--name', long),
    )
    const lines = stderr.trimEnd().split('\n')
    expect(lines.map((line) => line.split(' ')[0]).sort()).toEqual(['--address', '--expires', '--name', '--user'])
    for (const line of lines) expect(line).toMatch(/^--\w+ must be \S/)
  })

  test.each([
    ...['0s', '90', '2099-01-31', '999999999d', '2020-01-01T00:00:00Z'].map((expires) => ({ user: 'user-1', expires })),
    { user: '' },
  ])('refuses %o', async (options) => {
    const faulty = 'expires' in options ? /^--expires must be [^\n]*$/ : /^--user must be [^\n]*$/
    const before = await stored()
    // The command prints it as what is faulty all at once.
    await expect(createToken(readSettings({ DATABASE_URL: database.url }), options)).rejects.toThrow(
      expect.objectContaining({ name: 'TokenError', message: expect.stringMatching(faulty) }),
    )
    expect(await stored()).toEqual(before)
  })
})

describe('what acts on a terminal, or hides and reorders text,', () => {
  const trick = 'a\u001b[31m\u009b31m\u202eb\u2066\u200b\u2028c'

  test('does not reach it from a user ID or a name', async () => {
    const { stderr } = await create({ user: trick, name: trick })
    expect(stderr).toContain('of user a?[31m?31m?b???c,')
    const [table, json] = [await list(), await list({ json: true })]
    for (const { stdout } of [table, json]) expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u)
    const entries = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(entries.find(({ userId }) => userId === trick)).toMatchObject({ name: trick })
  })
})

describe('token list', () => {
  test('shows every token with its ID first, as a table and as NDJSON, and never a secret or a digest', async () => {
    const { secret, id } = await create({ user: 'user-7', name: 'seventh\u001b[31m', expires: '90d' })
    const [table, json] = [await token('list'), await list({ json: true })]
    expect(table).toMatchObject({ code: 0, stderr: '' })
    expect(json).toMatchObject({ code: 0, stderr: '' })
    const stored = (await database.query('select id from credentials')).map((row) => row.id)

    const [header = '', ...rows] = table.stdout.trimEnd().split('\n')
    expect(header).toMatch(/^id +userId +address +admin +name +createdAt +expiresAt +revokedAt +lastUsedAt$/)
    expect(rows.map((row) => row.split(' ')[0]).sort()).toEqual(stored.sort())
    expect(rows[0]).toMatch(new RegExp(`^${id} +user-7 +- +no +seventh\\?\\[31m +\\S+Z +\\S+Z +- +-$`))

    const entries = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(entries.map((entry) => entry.id).sort()).toEqual(stored)
    expect(Object.keys(entries[0])[0]).toBe('id')
    expect(entries[0]).toEqual({
      id,
      userId: 'user-7',
      address: null,
      admin: false,
      name: 'seventh\u001b[31m',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
      revokedAt: null,
      lastUsedAt: null,
    })
    for (const known of [...secrets, secret]) {
      for (const digest of ['hex', 'base64', 'base64url'] as const) {
        expect(table.stdout + json.stdout).not.toContain(digestOf(known).toString(digest))
      }
    }
  })
})

describe('a token', () => {
  test('that is revoked stops working in a running service within 5 seconds, for good', async () => {
    const { secret, id } = await create({ user: 'user-1' })
    const { secret: other } = await create({ user: 'user-1' })
    expect(await statusWith(secret)).toBe(200)
    const revoked = await token('revoke', id)
    const end = Date.now()
    expect(revoked).toMatchObject({ code: 0, stdout: '', stderr: `Token ${id} is revoked.\n` })
    await waitFor(async () => ((await statusWith(secret)) === 401 ? true : undefined))
    expect(Date.now() - end).toBeLessThan(5000)
    expect(await statusWith(other)).toBe(200)

    const stored = () => database.query('select * from credentials where id = $1', [id])
    const before = await stored()
    expect(await revoke(id.toUpperCase())).toMatchObject({ code: 0, stdout: '' })
    expect(await stored()).toEqual(before)
    expect(await statusWith(secret)).toBe(401)
  })

  test('that expires stops working in a running service within 5 seconds', async () => {
    const { secret, id } = await create({ user: 'user-1', expires: '6s' })
    const end = (await expiryOf(id)).getTime()
    const status = await statusWith(secret)
    // On a machine that is very busy it may be over already.
    if (Date.now() < end) expect(status).toBe(200)
    await waitFor(async () => ((await statusWith(secret)) === 401 ? true : undefined))
    const stopped = Date.now()
    expect(stopped).toBeGreaterThanOrEqual(end)
    expect(stopped - end).toBeLessThan(5000)
  })

  test('that is issued for a second has ended soon after', async () => {
    const { secret } = await create({ user: 'user-1', expires: '1s' })
    await sleep(1000)
    expect(await statusWith(secret)).toBe(401)
  })
})

describe('token revoke', () => {
  test.each(['00000000-0000-4000-8000-000000000000', "nonsense'; --"])(
    'refuses an ID that is not there and names it: %s',
    async (id) => {
      const stderr = await refused(() => revoke(id))
      expect(stderr).toMatch(/^there is no token [^\n]*`token list`[^\n]*\n$/)
      expect(stderr).toContain(id)
    },
  )

  test('does not repeat a secret that is given instead of an ID', async () => {
    const { secret } = await create({ user: 'user-1' })
    expect(await refused(() => revoke(secret))).toMatch(/^there is no token "rcs_\[redacted\]"; [^\n]*\n$/)
    expect(await statusWith(secret)).toBe(200)
  })
})

describe('a token command', () => {
  test('whose database is away tells so in a line', async () => {
    const DATABASE_URL = `postgres://somebody:hunter2@127.0.0.1:${await closedPort()}/nowhere`
    const result = await runCli(['token', 'create', '--user', 'user-1'], { DATABASE_URL })
    expect(result).toMatchObject({ code: 1, stdout: '' })
    const away = readSettings({ DATABASE_URL })
    const failures = [listTokens(away, {}), revokeToken(away, '00000000-0000-4000-8000-000000000000')]
    // The line that every command prints of such a failure.
    const lines = failures.map((failing) => failing.then(() => 'no failure', explainFailure))
    for (const line of [result.stderr.trimEnd(), ...(await Promise.all(lines))]) {
      expect(line).toMatch(/^the database cannot be reached[^\n]*$/)
      expect(line).not.toMatch(/hunter2|rcs_| at /)
    }
  })

  test('on a schema that is behind names the command that mends it, and gives out no secret', async () => {
    await using behind = await createTestDatabase()
    await behind.query('drop schema drizzle cascade')
    const result = await runInProcess(() => createToken(readSettings({ DATABASE_URL: behind.url }), { user: 'user-1' }))
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toMatch(/^[^\n]*`reward-campaigns migrate`[^\n]*\n$/)
    expect(await behind.query('select from credentials')).toEqual([])
  })
})

test('no secret is in the log of the service or in what commands say, wherever a caller has put it', async () => {
  const { secret } = await create({ user: 'user-1' })
  const unknown = createSecret()
  secrets.push(unknown)
  for (const each of [secret, unknown]) {
    const body = each.slice(4)
    const paths = [
      '/campaigns/accesslists',
      `/campaigns/accesslists?search=${each}&userId=${each}`,
      `/campaigns/accesslists?access_token=${each}`,
      `/users/profile?user=${each}`,
      `/users/profile?token=rcs%5F${body}`,
      `/campaigns?autocampaignId=${each}`,
      `/campaigns?owner=Bearer%20${each}&${each}=1`,
      `/campaigns/${each}`,
      `/reward-kit/trending?creator=${each}`,
      `/explore/contracts/rcs%5f${body}`,
      `/${each}/${each}`,
      `/${each.toUpperCase()}`,
      `/${each}%zz`,
    ]
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const headers = { ...bearing(each), 'x-request-id': each, cookie: `token=${each}`, referer: `${url}/?${each}` }
        expect((await fetch(url + path, { method, headers })).status).toBeLessThan(500)
      }
    }
  }
  await fetch(`${url}/campaigns`, { headers: { 'x-request-id': 'the-last' } })
  await waitFor(() => (/"the-last".*"responseTime"/.test(service.stdout) ? true : undefined))
  const log = service.stdout + service.stderr
  expect(log).toContain('rcs_[redacted]')
  expect(log.split('\n').length).toBeGreaterThan(100)
  expect(secrets.length).toBeGreaterThan(10)
  for (const each of secrets) {
    for (const text of [each.slice(4), each.slice(4).toUpperCase(), digestOf(each).toString('hex')]) {
      expect(log).not.toContain(text)
      expect(said.join('')).not.toContain(text)
    }
  }
})

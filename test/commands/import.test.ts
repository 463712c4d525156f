import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ImportCommandOptions, importFiles } from '../../src/commands/import.ts'
import { readSettings } from '../../src/config.ts'
import { DatabaseUnreachableError } from '../../src/database/connection/database-errors.ts'
import { migrateDatabase } from '../../src/database/migrate-database.ts'
import { ImportFailedError } from '../../src/import/import-failures.ts'
import { type ImportOptions, importRecords } from '../../src/import/importer.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, anAddress, anErc20Incentive } from '../setup/records.ts'
import { openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { runInProcess } from '../setup/servers/in-process.ts'
import { CLI, runCli, startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'

const ndjson = (...records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')
const aContract = (number = 1) => ({
  type: 'contract',
  chainId: number,
  address: anAddress('contract'),
  name: 'Contract',
})

const importInput = (database: { url: string }, input: string, ...parameters: string[]) =>
  runCli(['import', ...parameters, '-'], { DATABASE_URL: database.url }, input)

/** As standard input, within this process. */
const importText = ({ url }: { url: string }, text: string, options?: ImportOptions) =>
  importRecords(url, [{ name: 'standard input', bytes: Readable.from([Buffer.from(text)]) }], options)

/** The command, of files, within this process. */
const importing = ({ url }: { url: string }, files: string[], options: ImportCommandOptions = {}) =>
  importFiles(readSettings({ DATABASE_URL: url }), files, options)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-import-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What the command prints of a file with this text. */
async function importFile(database: TestDatabase, text: string, options?: ImportCommandOptions) {
  const file = join(folder, 'records')
  await writeFile(file, text)
  return { file, ...(await runInProcess(() => importing(database, [file], options))) }
}

const countContracts = async (database: TestDatabase) =>
  (await database.query('select count(*)::integer as contracts from contracts'))[0]?.contracts

describe.concurrent('a connection that is lost', () => {
  test('after the commit is a warning: all is imported, and the code is 0', async () => {
    await using database = await createTestDatabase()
    await using proxy = await openDatabaseProxy(database.url, 'cut', 'vacuum (analyze')
    const contracts = Array.from({ length: 5000 }, (_, index) => aContract(index))
    const result = await importInput(proxy, ndjson(...contracts))
    expect(result).toMatchObject({ code: 0, stdout: 'Imported:\n  contract: 5000\n' })
    expect(result.stderr).toMatch(/^all is imported, but not vacuumed \([^\n]+\): [^\n]+\n$/)
    expect(await countContracts(database)).toBe(5000)
  })

  for (const [lifecycle, what, contracts] of [
    ['cut', 'it did not reach the database', 0],
    ['cut after', 'it reached the database', 1],
  ] as const) {
    test(`during the commit leaves it unknown, and importing again is harmless, where ${what}`, async () => {
      await using database = await createTestDatabase()
      await using proxy = await openDatabaseProxy(database.url, lifecycle, 'commit\0')
      await expect(importText(proxy, ndjson(aContract()))).rejects.toThrow(
        /^[^\n]+ during the commit: whether it was imported is unknown\. Import again[^\n]+$/,
      )
      await waitFor(async () => ((await countContracts(database)) === contracts ? true : undefined))
      await importText(database, ndjson(aContract()))
      expect(await countContracts(database)).toBe(1)
    })
  }

  test('by a server that is silent at the commit ends the import after a time limit', async () => {
    await using database = await createTestDatabase()
    await using proxy = await openDatabaseProxy(database.url, 'freeze', 'commit\0')
    const startedAt = performance.now()
    await expect(importText(proxy, ndjson(aContract()), { commitMs: 500 })).rejects.toThrow(
      /no response for 0\.5 seconds\) during the commit: whether it was imported is unknown\. Import again/,
    )
    expect(performance.now() - startedAt).toBeLessThan(20_000)
    expect(await countContracts(database)).toBe(0)
    await importText(database, ndjson(aContract()))
  })

  test.each(['begin', 'copy staged_contract', 'select advance_claim_windows()', 'insert into contracts'])(
    'before the commit ends the import with a sentence, and nothing is there: at %s',
    async (statement) => {
      await using database = await createTestDatabase()
      await using proxy = await openDatabaseProxy(database.url, 'cut', statement)
      await expect(importText(proxy, ndjson(aContract()))).rejects.toThrow(
        /^the database ended the import \([^\n]+\); nothing was imported$/,
      )
      expect(await countContracts(database)).toBe(0)
    },
  )

  test('before its first statement is a database that cannot be reached: a service tries again', async () => {
    await using database = await createTestDatabase()
    await using proxy = await openDatabaseProxy(database.url, 'cut', 'transaction_timeout')
    await expect(importText(proxy, ndjson(aContract()))).rejects.toThrow(DatabaseUnreachableError)
  })

  test('while the import waits for its input ends it with a sentence', async () => {
    await using database = await createTestDatabase()
    await using cli = startCli(['import', '-'], { DATABASE_URL: database.url })
    await waitFor(async () => {
      const ended = await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'reward-campaigns import'
          and state = 'idle in transaction' and query like 'begin %'`,
      )
      return ended.length > 0 ? true : undefined
    })
    cli.child.stdin.end(ndjson(aContract()))
    const result = await cli.ended
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toMatch(/^the database ended the import \([^\n]+\); nothing was imported\n$/)
  })
})

// Waits for half a minute.
test.concurrent('a second import says that it waits and for how long, and a frozen one does not keep it waiting for ever', {
  timeout: 120_000,
}, async () => {
  await using database = await createTestDatabase()
  await using proxy = await openDatabaseProxy(database.url, 'freeze', 'select advance_claim_windows()')
  await using frozen = startCli(['import', '-'], { DATABASE_URL: proxy.url })
  frozen.child.stdin.end(ndjson(aContract(1)))
  await waitFor(async () => {
    const holders = await database.query(`select from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and locktype = 'advisory' and granted`)
    return holders.length > 0 ? true : undefined
  })
  const result = await importInput(database, ndjson(aContract(2)))
  expect(result).toMatchObject({ code: 0, stdout: 'Imported:\n  contract: 1\n' })
  const [first, ...others] = result.stderr.trimEnd().split('\n')
  expect(first).toBe('another import is running, waiting')
  expect(others[0]).toMatch(/^another import is running, waiting for 1[0-9] s$/)
  expect(others.at(-1)).toMatch(/^the other import has finished, waited for [0-9]+ s$/)
  expect(await database.query('select chain_id from contracts')).toEqual([{ chain_id: '2' }])
})

describe('the database does not let an import through', () => {
  test('whose role only serves: before anything is read', async () => {
    await using database = await createTestDatabase()
    const role = `serving_${randomBytes(6).toString('hex')}`
    await database.query(`create role ${role} login password 'secret'`)
    try {
      await migrateDatabase(database.url, { servingRole: role })
      const url = new URL(database.url)
      url.username = role
      url.password = 'secret'
      await expect(importText({ url: url.href }, '{}')).rejects.toThrow(
        /^the role of DATABASE_URL may not import: use the one [^\n]+; nothing was imported$/,
      )
    } finally {
      await database.query(`drop owned by ${role}`)
      await database.query(`drop role ${role}`)
    }
  })

  test('for its disk is full', async () => {
    await using database = await createTestDatabase()
    await database.query(`create function fill_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`)
    await database.query('create trigger fill_disk before insert on contracts execute function fill_disk()')
    await expect(importText(database, ndjson(aContract()))).rejects.toThrow(
      new ImportFailedError('the disk of the database is full; nothing was imported'),
    )
  })

  test('for it is read-only', async () => {
    await using database = await createTestDatabase()
    const name = new URL(database.url).pathname.slice(1)
    await database.query(`alter database ${name} set default_transaction_read_only = on`)
    await expect(importText(database, ndjson(aContract()))).rejects.toThrow(
      new ImportFailedError('the database is read-only: import into the primary; nothing was imported'),
    )
  })
})

describe('what cannot be read is answered in a sentence, and nothing is written:', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  const text = ndjson(aContract())
  const many = gzipSync(
    ndjson(...Array.from({ length: 1000 }, (_, index) => ({ ...aContract(index), name: anAddress(index) }))),
  )
  const damaged = Buffer.from(many)
  damaged.fill(0xff, many.length / 2, many.length / 2 + 100)
  const cases: [file: string, content: string | Buffer | undefined, reason: string][] = [
    ['nowhere.ndjson', undefined, 'there is no such file'],
    ['folder', undefined, 'it is a folder'],
    ['plain.gz', text, 'it is not gzip, as its name says'],
    ['empty.gz', '', 'it is not gzip, as its name says'],
    ['cut.ndjson.gz', many.subarray(0, many.length / 2), 'it is gzip that is cut short'],
    ['damaged.ndjson.gz', damaged, 'it is gzip that is damaged'],
    ['utf-16', Buffer.from(`\uFEFF${text}`, 'utf16le'), 'it is UTF-16, and must be UTF-8'],
    ['utf-16-without-mark', Buffer.from(text, 'utf16le'), 'it is UTF-16, and must be UTF-8'],
    ['nul', Buffer.alloc(100_000), 'it has NUL bytes, which no text has'],
  ]
  for (const [name, content, reason] of cases) {
    test(name, async () => {
      const file = name === 'folder' ? folder : join(folder, name)
      const good = join(folder, 'good.ndjson')
      await writeFile(good, text)
      if (content !== undefined) await writeFile(file, content)
      await expect(importing(database, [good, file])).rejects.toMatchObject({
        name: 'UnreadableFileError',
        message: `${file} cannot be read: ${reason}; nothing was imported`,
      })
      expect(await countContracts(database)).toBe(0)
    })
  }

  test('a folder on standard input', async () => {
    const handle = await open(folder)
    try {
      const child = spawn(process.execPath, [CLI, 'import', '-'], {
        cwd: join(import.meta.dirname, '../..'),
        env: { DATABASE_URL: database.url },
        stdio: [handle.fd, 'ignore', 'pipe'],
      })
      let stderr = ''
      child.stderr?.setEncoding('utf8').on('data', (part: string) => {
        stderr += part
      })
      const code = await new Promise((resolve) => child.once('close', resolve))
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'standard input cannot be read: it is a folder; nothing was imported\n',
      })
    } finally {
      await handle.close()
    }
  })

  test('standard input twice', async () => {
    const result = await importInput(database, text, '-')
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toBe('standard input cannot be read: it can be read once only; nothing was imported\n')
  })

  test.skipIf(process.getuid?.() === 0)('a file that is closed to the account (root may read all)', async () => {
    const file = join(folder, 'closed.ndjson')
    await writeFile(file, text, { mode: 0o000 })
    await expect(importing(database, [file])).rejects.toMatchObject({
      name: 'UnreadableFileError',
      message: `${file} cannot be read: this account may not read it; nothing was imported`,
    })
  })

  test('NUL bytes further on, as after a crash, are a fault of their line', async () => {
    const fault = expect.objectContaining({
      name: 'ImportFaultsError',
      message:
        'standard input:101: /: the line has NUL bytes, which no text has\n1 fault, references not checked; nothing was imported',
    })
    await expect(importText(database, `${text.repeat(100)}${'\0'.repeat(5000)}`)).rejects.toThrow(fault)
  })
})

test('gzip is unpacked whatever its name is, and on standard input', async () => {
  await using database = await createTestDatabase()
  await using cli = startCli(['import', '-'], { DATABASE_URL: database.url })
  cli.child.stdin.end(gzipSync(ndjson(aContract())))
  expect(await cli.ended).toMatchObject({ code: 0, stderr: '', stdout: 'Imported:\n  contract: 1\n' })
})

describe('the summary', () => {
  const hidden = () => aCampaign({ incentives: [anErc20Incentive(anAddress('hidden'))] })
  const heading = (line: string | undefined) => line?.replace(/^(.*?\.).*$/, '$1')

  test('tells one campaign from several', async () => {
    await using database = await createTestDatabase()
    const one = (await importFile(database, ndjson(hidden()))).stdout.split('\n')
    expect(one.slice(2)).toEqual([
      '1 campaign is hidden by the default tokenWhitelist=true. This token is not known and whitelisted:',
      `  8453:${anAddress('hidden')} (1 campaign)`,
      '',
    ])
    const several = (await importFile(database, ndjson(hidden(), hidden()))).stdout.split('\n')
    expect(heading(several[2])).toBe('2 campaigns are hidden by the default tokenWhitelist=true.')
    expect(several[3]).toBe(`  8453:${anAddress('hidden')} (2 campaigns)`)
  })

  test('counts the campaigns that the call concerns, not the others that are stored', async () => {
    await using database = await createTestDatabase()
    const campaign = hidden()
    await importText(database, ndjson(campaign, hidden()))
    expect((await importFile(database, ndjson(aCampaign()))).stdout).toBe('Imported:\n  campaign: 1\n')
    const again = await importFile(database, ndjson(campaign))
    expect(heading(again.stdout.split('\n')[2])).toBe('1 campaign is hidden by the default tokenWhitelist=true.')
  })
})

describe('--json', () => {
  test('tells faults as NDJSON on standard output, and their number last', async () => {
    await using database = await createTestDatabase()
    const result = await importFile(database, `${ndjson(aContract(), { ...aContract(), nam: '' })}nonsense\n`, {
      json: true,
    })
    expect(result).toMatchObject({ code: 1, stderr: '' })
    expect(
      result.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { type: 'fault', file: result.file, line: 2, pointer: '/nam', message: 'is an unknown key' },
      {
        type: 'fault',
        file: result.file,
        line: 3,
        pointer: '',
        message: 'the line is not a JSON object: an import is NDJSON, one object a line',
      },
      { type: 'faults', count: 2, referencesChecked: false },
    ])
    expect(await countContracts(database)).toBe(0)
  })

  test('tells the first twenty faults and the number of all', async () => {
    await using database = await createTestDatabase()
    const result = await importFile(database, '{}\n'.repeat(25), { json: true })
    const lines = result.stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(21)
    expect(JSON.parse(lines[20] ?? '')).toEqual({ type: 'faults', count: 25, referencesChecked: false })
  })
})

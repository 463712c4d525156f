import pg from 'pg'
import { expect, test } from 'vitest'
import { doctor } from '../../src/commands/doctor.ts'
import { readSettings } from '../../src/config.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { generateSmallSample } from '../setup/data/small-sample.ts'
import { createTestDatabase } from '../setup/database.ts'
import { runInProcess } from '../setup/servers/in-process.ts'
import { runCli, startCli } from '../setup/servers/processes.ts'

/*
 * What is looked at, and what each defect is called, stands in test/doctor/.
 */

test('doctor prints a line for each check, and ends with 0 where there are warnings only', async () => {
  await using database = await createTestDatabase()
  const { code, stdout, stderr } = await runCli(['doctor'], { DATABASE_URL: database.url })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^check +state +found$/)
  expect(lines.length).toBe(16)
  expect(lines.filter((line) => !/^[a-z ]+ (ok|warning) +\S/.test(line)).slice(1)).toEqual([])
  expect(lines.filter((line) => / warning /.test(line))).toEqual([
    expect.stringMatching(
      /^rights +warning +the role of DATABASE_URL may write public\.campaigns and \d+ more: serve with /,
    ),
  ])
})

test('doctor --json prints the same as NDJSON, and ends with 1 where a check has failed', async () => {
  await using database = await createTestDatabase()
  await database.query('delete from data_versions')
  const { code, stdout, stderr } = await runInProcess(() =>
    doctor(readSettings({ DATABASE_URL: database.url }), { all: true, json: true }),
  )
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  const findings = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(findings.filter(({ state }) => state === 'failed')).toEqual([
    {
      check: 'data version',
      state: 'failed',
      found: 'the data has no revision',
      advice: expect.stringMatching(/^run /),
    },
  ])
})

test('doctor says that there is no database, without its password', async () => {
  const DATABASE_URL = 'postgres://user:hunter2@127.0.0.1:1/database'
  const { code, stdout, stderr } = await runInProcess(() => doctor(readSettings({ DATABASE_URL }), { json: true }))
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    check: 'server',
    state: 'failed',
    found: expect.stringMatching(/^the database cannot be reached: .*ECONNREFUSED/),
    advice: 'check that it runs and that DATABASE_URL is right',
  })
  expect(stdout).not.toContain('hunter2')
})

test('rebuild makes anew what doctor finds, while readers go on and processes serve', async () => {
  await using database = await createTestDatabase()
  const settings = { DATABASE_URL: database.url }
  const examine = () => runInProcess(() => doctor(readSettings(settings), { all: true }))
  const sample = generateSmallSample({ campaigns: 30, claims: 200, seed: 1, now: new Date() })
  await importRecords(database.url, [toRecordSource('the sample', [...sample])])
  await using service = startCli(['serve'], { ...settings, PORT: '0', METRICS_PORT: '0' })
  const url = await service.ready()
  const totals = async () => {
    const contracts: { stats: { totalClaims: number } }[] = JSON.parse(
      await (await fetch(`${url}/explore/contracts`)).text(),
    )
    return contracts.map(({ stats }) => stats.totalClaims)
  }
  const before = await totals()
  expect(Math.max(...before)).toBeGreaterThan(0)
  await database.query(`drop trigger bump_data_version on claims;
    delete from claims; delete from data_versions where revision < (select max(revision) from data_versions)`)
  // Nothing has told the service.
  expect(await totals()).toEqual(before)
  expect(await examine()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /^schema objects +failed +trigger bump_data_version .*: run `reward-campaigns rebuild`/m,
    ),
  })
  await using reader = await openReader(database.url)
  expect(await runCli(['rebuild'], settings)).toMatchObject({
    code: 0,
    stdout: 'all derived data recomputed\n',
    stderr: 'restoring trigger bump_data_version on claims\nrecomputing all derived data\n',
  })
  expect(await reader.count('campaign_claim_totals')).toBeGreaterThan(0)
  expect(Math.max(...(await totals()))).toBe(0)
  const { code, stdout } = await examine()
  expect(code, stdout).toBe(0)
})

/** A transaction that has begun to read. */
async function openReader(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('begin isolation level repeatable read')
  const count = async (table: string) => Number((await client.query(`select count(*) from ${table}`)).rows[0].count)
  await count('campaigns')
  return { count, [Symbol.asyncDispose]: () => client.end() }
}

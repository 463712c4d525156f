import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { runCli } from '../setup/processes.ts'

/*
 * What is looked at, and what each defect is called, stands in test/doctor/.
 */

test('doctor prints a line for each check, and ends with 0 where there are warnings only', async () => {
  await using database = await createTestDatabase()
  const { code, stdout, stderr } = await runCli(['doctor'], { DATABASE_URL: database.url })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^check +state +found$/)
  expect(lines.length).toBeGreaterThan(20)
  expect(lines.filter((line) => !/^[a-z ]+ (ok|warning) +\S/.test(line)).slice(1)).toEqual([])
  expect(lines.filter((line) => / warning /.test(line))).toEqual([
    expect.stringMatching(
      /^rights +warning +the role of DATABASE_URL may write public\.campaigns and \d+ more: serve with /,
    ),
  ])
})

test('doctor --json prints the same as NDJSON, and ends with 1 where a check has failed', async () => {
  await using database = await createTestDatabase()
  await database.query('delete from data_revisions')
  const { code, stdout, stderr } = await runCli(['doctor', '--all', '--json'], { DATABASE_URL: database.url })
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  const findings = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(findings.filter(({ state }) => state === 'failed')).toEqual([
    { check: 'revision', state: 'failed', found: 'the data has no revision', advice: expect.stringMatching(/^run /) },
  ])
})

test('doctor says that there is no database, without its password', async () => {
  const DATABASE_URL = 'postgres://user:hunter2@127.0.0.1:1/database'
  const { code, stdout, stderr } = await runCli(['doctor', '--json'], { DATABASE_URL })
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    check: 'server',
    state: 'failed',
    found: expect.stringMatching(/^the database cannot be reached: .*ECONNREFUSED/),
    advice: 'see that it runs, and that DATABASE_URL leads to it',
  })
  expect(stdout).not.toContain('hunter2')
})

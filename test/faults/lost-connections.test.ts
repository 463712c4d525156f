import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign } from '../setup/records.ts'
import { openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { runCli } from '../setup/servers/processes.ts'

test.each([
  ['rebuild', [], 'rebuild_claim_totals'],
  ['explain', ['/campaigns'], 'explain (analyze'],
])('%s says in a sentence that it has lost its connection', async (command, parameters, text) => {
  await using database = await createTestDatabase()
  await database.save?.(aCampaign())
  const stored = () => database.query('select * from changes, campaigns order by revision, position')
  const before = await stored()
  await using proxy = await openDatabaseProxy(database.url)
  proxy.cutAt(text)
  const { code, stdout, stderr } = await runCli([command, ...parameters], { DATABASE_URL: proxy.url })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr.replace('recomputing all derived data\n', '')).toMatch(/^the database cannot be reached: [^\n]+\n$/)
  // Nothing is half done.
  expect(await stored()).toEqual(before)
})

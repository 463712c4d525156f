import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign, anAccessList } from '../setup/records.ts'
import { openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { runCli } from '../setup/servers/processes.ts'
import { repeated } from '../setup/thorough.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-lost-'))
  await writeFile(join(folder, 'records'), `${JSON.stringify(aCampaign())}\n${JSON.stringify(anAccessList())}\n`)
})
afterAll(() => rm(folder, { recursive: true }))

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

/** After how many messages the connection is lost, and how many more the next time: usually once, where some commands still read and others write. */
const [FIRST, EVERY] = repeated([25, 100], [0, 1])

test.each([
  ['import', 'records'],
  ['doctor'],
  ['rebuild'],
  ['export', 'copy'],
  ['migrate'],
  ['token', 'list'],
  ['explain', '/campaigns'],
])('%s shows no stack, whenever it loses its connection', { timeout: 300_000 }, async (command, ...parameters) => {
  await using database = await createTestDatabase()
  await database.save?.(aCampaign())
  const named = parameters.map((parameter) => parameter.replace(/^(records|copy)$/, join(folder, '$1')))
  for (let messages = FIRST, isCut = true; isCut; messages += EVERY) {
    await rm(join(folder, 'copy'), { recursive: true, force: true })
    await using proxy = await openDatabaseProxy(database.url)
    proxy.cutAfter(messages)
    const { code, stdout, stderr } = await runCli([command, ...named], { DATABASE_URL: proxy.url })
    isCut = proxy.isCut()
    expect(stderr, `after ${messages} messages`).not.toMatch(/\n +at /)
    if (!isCut)
      expect({ code, stderr: stderr.replace('recomputing all derived data\n', '') }).toEqual({ code: 0, stderr: '' })
    else if (code !== 0)
      expect({ code, said: stdout + stderr }).toEqual({ code: 1, said: expect.stringMatching(/database/) })
  }
})

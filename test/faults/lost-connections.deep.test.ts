import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign, anAccessList } from '../setup/records.ts'
import { openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { runCli } from '../setup/servers/processes.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-lost-'))
  await writeFile(join(folder, 'records'), `${JSON.stringify(aCampaign())}\n${JSON.stringify(anAccessList())}\n`)
})
afterAll(() => rm(folder, { recursive: true }))

test.each([
  ['rebuild', [], 'insert into campaign_claimant_counts'],
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

const COMMANDS = [
  ['doctor'],
  ['import', 'records'],
  ['rebuild'],
  ['export', 'copy'],
  ['explain', '/campaigns'],
  ['migrate'],
  ['token', 'list'],
]

test.each(COMMANDS)('%s shows no stack, whenever it loses its connection', { timeout: 600_000 }, async (...command) => {
  await using database = await createTestDatabase()
  await database.save?.(aCampaign())
  const parameters = command.map((word) => word.replace(/^(records|copy)$/, join(folder, '$1')))
  for (let messages = 0, isCut = true; isCut; messages += 1) {
    await rm(join(folder, 'copy'), { recursive: true, force: true })
    await using proxy = await openDatabaseProxy(database.url)
    proxy.cutAfter(messages)
    const { code, stdout, stderr } = await runCli(parameters, { DATABASE_URL: proxy.url })
    isCut = proxy.isCut()
    if (messages === 0) expect(isCut, 'whether it was over before').toBe(true)
    expect(stderr, `after ${messages} messages`).not.toMatch(/\n +at /)
    const said = (stdout + stderr).replace('recomputing all derived data\n', '')
    if (!isCut) expect(code, said).toBe(0)
    else if (code !== 0) expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(/database/) })
  }
})

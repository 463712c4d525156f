import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { addressOf, welcome } from '../../src/process/listen.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { listen } from '../setup/servers/sockets.ts'
import { startTestApp } from '../setup/test-app.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

test.each([
  { settings: {}, names: ['explorer', 'API', 'docs', 'guides', 'OpenAPI', 'database', 'import', 'token', 'end'] },
  {
    settings: { EXPLORER: 'false' },
    names: ['API', 'docs', 'guides', 'OpenAPI', 'database', 'import', 'token', 'end'],
  },
  {
    settings: { SURFACES: 'public' },
    names: ['explorer', 'API', 'docs', 'guides', 'OpenAPI', 'database', 'import', 'end'],
  },
  {
    settings: { SURFACES: 'staging' },
    names: ['API', 'docs', 'guides', 'OpenAPI', 'database', 'import', 'token', 'end'],
  },
])('with $settings, a newcomer is told of what is there, and of nothing else', async ({ settings, names }) => {
  await using api = await startTestApp(settings, database)
  const address = `http://127.0.0.1:${await listen(api.app)}`
  const block = welcome(addressOf(api.app), readSettings(settings), { database: 'embedded', hasSampleData: true })
  const reported = [...block.matchAll(/^ {2}(\w+) {2,}(\S.*)$/gm)].map(([, name, what = '']) => ({ name, what }))
  expect(reported.map(({ name }) => name)).toEqual(names)
  for (const { name, what } of reported.filter(({ what }) => what.startsWith('http'))) {
    expect(what.startsWith(`${address}/`), what).toBe(true)
    const { status } = await fetch(what, { headers: { accept: 'text/html' } })
    // Where only protected operations are served, a token is missing.
    expect(status, what).toBe(name === 'API' && settings.SURFACES === 'staging' ? 401 : 200)
  }
})

test('the README shows what a newcomer is told', async () => {
  await using api = await startTestApp({}, database)
  const port = await listen(api.app)
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')
  const block = welcome(addressOf(api.app), readSettings({}), {
    database: 'embedded in /home/you/reward-campaign-service/.data',
    hasSampleData: true,
  })
  expect(readme).toContain(block.trim().replaceAll(`:${port}/`, ':3000/'))
})

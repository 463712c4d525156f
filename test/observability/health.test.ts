import { expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config.ts'
import { openPool } from '../../src/database/connection/pool.ts'
import { startTestApp } from '../setup/test-app.ts'

test('a process that answers is alive, and one whose database is there is ready', async () => {
  await using api = await startTestApp()
  const [alive, ready] = await Promise.all([api.get('/livez'), api.get('/readyz')])
  expect(alive).toMatchObject({ statusCode: 200, body: '{"status":"ok"}' })
  expect(ready).toMatchObject({ statusCode: 200, body: '{"status":"ready"}' })
  for (const { headers } of [alive, ready]) {
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['x-request-id']).toBeDefined()
  }
})

test('a process that is not ready says so, comes back, and is alive all the time', async () => {
  let isReady = false
  await using api = await startAppThatIsReady(async () => isReady)
  const refused = await api.app.inject('/readyz')
  expect(refused.statusCode).toBe(503)
  expect(refused.headers['retry-after']).toMatch(/^[1-9][0-9]*$/)
  expect(refused.headers['cache-control']).toBe('no-store')
  expect(Object.keys(refused.json())).toEqual(['error'])
  expect((await api.app.inject('/livez')).statusCode).toBe(200)
  isReady = true
  expect((await api.app.inject('/readyz')).statusCode).toBe(200)
})

test('a check of readiness that goes wrong is a failure like any other', async () => {
  await using api = await startAppThatIsReady(async () => {
    throw new TypeError('a secret of the inside')
  })
  const response = await api.app.inject('/readyz')
  expect(response).toMatchObject({ statusCode: 500, body: '{"error":"internal server error"}' })
})

test('health is no part of the described API', async () => {
  await using api = await startTestApp()
  const { paths } = (await api.get('/openapi.json')).json()
  expect(Object.keys(paths).length).toBeGreaterThan(5)
  for (const path of ['/livez', '/readyz', '/metrics', '/docs', '/']) expect(paths).not.toHaveProperty([path])
})

async function startAppThatIsReady(isReady: () => Promise<boolean>) {
  // Nothing is asked of it.
  const opened = openPool({
    url: 'postgres://127.0.0.1:1',
    poolSize: 1,
    connectionTimeoutMs: 1000,
    statementTimeoutMs: 1000,
    onIdleError: () => undefined,
  })
  const app = await buildApp({
    database: opened.database,
    // Without campaigns, which it would have to load.
    settings: readSettings({ LOG_LEVEL: 'silent', MAX_EVENT_LOOP_DELAY_MS: '0', SURFACES: 'staging' }),
    isReady,
  })
  return {
    app,
    async [Symbol.asyncDispose]() {
      await app.close()
      await opened.close()
    },
  }
}

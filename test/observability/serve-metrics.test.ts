import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { exposedMetrics } from '../setup/documents/registers.ts'
import { startCli } from '../setup/servers/processes.ts'
import { closedPort } from '../setup/servers/sockets.ts'
import { startTestApp } from '../setup/test-app.ts'

test('serve shows its metrics on METRICS_PORT, and nothing of them on PORT', async () => {
  await using database = await createTestDatabase()
  const port = await closedPort()
  await using serve = startCli(['serve'], { DATABASE_URL: database.url, PORT: '0', METRICS_PORT: String(port) })
  const url = await serve.ready()
  expect((await fetch(`${url}/campaigns`)).status).toBe(200)
  expect((await fetch(`${url}/metrics`)).status).toBe(404)
  expect(await (await fetch(`http://127.0.0.1:${port}/livez`)).json()).toEqual({ status: 'ok' })
  const figures = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  for (const line of [
    'reward_campaigns_http_request_duration_seconds_count{method="GET",route="/campaigns",status="200"} 1',
    'reward_campaigns_http_request_duration_seconds_count{method="GET",route="unknown",status="404"} 1',
    'reward_campaigns_cache_requests_total{result="miss"} 1',
    'reward_campaigns_database_up 1',
  ]) {
    expect(figures.split('\n')).toContain(line)
  }
  await using api = await startTestApp({}, database)
  const names = [...figures.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)
  expect(names).toEqual(exposedMetrics(api).serve.map(({ name }) => name))
})

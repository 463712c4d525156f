import { expect, test } from 'vitest'
import { createMetricsServer } from '../../src/http/metrics.ts'
import { aCampaign } from '../setup/records.ts'
import { startTestApp } from '../setup/test-app.ts'

const pools = {
  questions: { totalCount: 5, idleCount: 3, waitingCount: 2 },
  lookups: { totalCount: 2, idleCount: 1, waitingCount: 0 },
}

test('every request is counted by its route and status', async () => {
  await using api = await startTestApp()
  const campaign = aCampaign()
  await api.save(campaign)
  const metrics = createMetricsServer(api.app, pools)
  await api.get('/campaigns')
  await api.get('/campaigns?pageSize=1')
  await api.get('/campaigns?page=x')
  await api.get(`/campaigns/${campaign.id}`)
  await api.get('/nothing/at/all')
  await api.app.inject({ method: 'POST', url: '/campaigns' })

  const figures = (await metrics.inject('/metrics')).body
  const count = (method: string, route: string, status: number) => {
    const labels = `method="${method}",route="${route}",status="${status}"`
    return figures.split('\n').find((line) => line.startsWith(`http_request_duration_seconds_count{${labels}}`))
  }
  expect(count('GET', '/campaigns', 200)).toMatch(/ 2$/)
  expect(count('GET', '/campaigns', 400)).toMatch(/ 1$/)
  expect(count('GET', '/campaigns/:id', 200)).toMatch(/ 1$/)
  expect(count('POST', '/campaigns', 405)).toMatch(/ 1$/)
  expect(count('GET', 'unknown', 404)).toMatch(/ 1$/)
  await metrics.close()
})

test('no value of a request becomes a label', async () => {
  await using api = await startTestApp()
  const metrics = createMetricsServer(api.app, pools)
  for (let number = 0; number < 20; number += 1) {
    await api.get(`/campaigns/8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:${number}77777`)
    await api.get(`/nothing-${number}77777?secret=${number}77777`)
  }
  expect((await metrics.inject('/metrics')).body).not.toContain('77777')
  await metrics.close()
})

test('the pools of connections and the process are measured', async () => {
  await using api = await startTestApp()
  const metrics = createMetricsServer(api.app, pools)
  const answer = await metrics.inject('/metrics')
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toMatch(/^text\/plain; version=/)
  expect(answer.body.split('\n').filter((line) => line.startsWith('database_connections'))).toEqual([
    'database_connections{pool="questions",state="idle"} 3',
    'database_connections{pool="questions",state="busy"} 2',
    'database_connections{pool="questions",state="waiting"} 2',
    'database_connections{pool="lookups",state="idle"} 1',
    'database_connections{pool="lookups",state="busy"} 1',
    'database_connections{pool="lookups",state="waiting"} 0',
  ])
  expect(answer.body).toContain('process_resident_memory_bytes')
  await metrics.close()
})

test('the metrics have a listener of their own, and are not on the public one', async () => {
  await using api = await startTestApp()
  const metrics = createMetricsServer(api.app, pools)
  expect((await api.get('/metrics')).statusCode).toBe(404)
  expect((await metrics.inject('/campaigns')).statusCode).toBe(404)
  await metrics.close()
})

import { createClient } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { startRefusingServer } from '../setup/servers/refusing-server.ts'
import { startTestApp } from '../setup/test-app.ts'
import { startTestClient } from '../setup/test-client.ts'

const BUSY = { status: 503, headers: { 'retry-after': '1' }, body: '{"error":"busy"}' }
const EMPTY = { campaigns: [], totalCampaigns: 0 }

test('what is answered 503 is asked for again when Retry-After says', async () => {
  await using api = await startTestApp()
  await using server = await startRefusingServer(api, [BUSY])
  const startedAt = performance.now()
  expect(await createClient({ baseUrl: server.url }).listCampaigns()).toEqual(EMPTY)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990)
  expect(server.asked).toEqual(['/campaigns', '/campaigns'])
})

test('Retry-After may be a date, or missing', async () => {
  await using api = await startTestApp()
  await using server = await startRefusingServer(api, [
    { status: 429, headers: { 'retry-after': new Date(Date.now() - 5000).toUTCString() } },
    { status: 503, headers: { 'retry-after': 'soon' } },
    { status: 503 },
  ])
  expect(await createClient({ baseUrl: server.url, retries: 3 }).listCampaigns()).toEqual(EMPTY)
  expect(server.asked).toHaveLength(4)
})

test('what is refused as often as may be repeated is a failure', async () => {
  await using api = await startTestApp()
  const soon = { ...BUSY, headers: { 'retry-after': '0' } }
  await using server = await startRefusingServer(api, Array(6).fill(soon))
  const client = createClient({ baseUrl: server.url })
  await expect(client.listCampaigns()).rejects.toMatchObject({ status: 503, message: 'busy', retryAfterSeconds: 0 })
  expect(server.asked, 'twice again, where nothing is said').toHaveLength(3)
  await expect(createClient({ baseUrl: server.url, retries: 0 }).listCampaigns()).rejects.toMatchObject({ status: 503 })
  expect(server.asked).toHaveLength(4)
})

test('nobody waits longer than may be waited, and the failure says how long it would be', async () => {
  await using service = await startTestClient(
    { token: `rcs_${'x'.repeat(43)}`, longestWaitMs: 0 },
    { FAILED_AUTH_PER_MINUTE: '1' },
  )
  await expect(service.client.getUserProfile()).rejects.toMatchObject({ status: 401 })
  const failure: unknown = await service.client.getUserProfile().catch((error: unknown) => error)
  expect(failure).toMatchObject({ status: 429, retryAfterSeconds: expect.any(Number) })
  expect(service.exchanges.map(({ status }) => status)).toEqual([401, 429])
})

test('a signal ends the wait', async () => {
  await using api = await startTestApp()
  await using server = await startRefusingServer(api, [{ ...BUSY, headers: { 'retry-after': '9' } }])
  const startedAt = performance.now()
  const asked = createClient({ baseUrl: server.url }).listCampaigns({}, { signal: AbortSignal.timeout(300) })
  await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(performance.now() - startedAt).toBeLessThan(5000)
  expect(server.asked).toHaveLength(1)
})

test('a refused parameter is not repeated', async () => {
  await using service = await startTestClient()
  await expect(service.client.listCampaigns({ page: -1 })).rejects.toMatchObject({ status: 400 })
  expect(service.exchanges).toHaveLength(1)
})

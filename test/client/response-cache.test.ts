import { createClient } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { aCampaign, anAccessList } from '../setup/records.ts'
import { startTestClient, type TestClient } from '../setup/test-client.ts'
import { issueToken } from '../setup/tokens.ts'

const statuses = ({ exchanges }: TestClient) => exchanges.map(({ status }) => status)

test('an answer that is still right is not sent again, and one that is not is', async () => {
  await using service = await startTestClient()
  const { api, client } = service
  const first = aCampaign()
  await api.save(first)
  const before = await client.listCampaigns()
  expect(await client.listCampaigns()).toEqual(before)
  expect(statuses(service)).toEqual([200, 304])

  await api.save(aCampaign())
  expect(await client.listCampaigns()).toEqual((await api.get('/campaigns')).json())
  expect((await client.listCampaigns()).totalCampaigns).toBe(2)
  expect(statuses(service)).toEqual([200, 304, 200, 304])
})

test('whoever changes an answer that was given does not change the remembered one', async () => {
  await using service = await startTestClient()
  await service.api.save(aCampaign())
  const given = await service.client.listCampaigns()
  given.campaigns.length = 0
  expect((await service.client.listCampaigns()).campaigns).toHaveLength(1)
  expect(statuses(service)).toEqual([200, 304])
})

test('a remembered answer has the total and the request ID of the new one', async () => {
  await using service = await startTestClient()
  const ask = () => service.client.api.GET('/explore/contracts')
  const [first, second] = [await ask(), await ask()].map(({ response: { headers } }) => ({
    total: headers.get('x-total-count'),
    requestId: headers.get('x-request-id'),
  }))
  expect(statuses(service)).toEqual([200, 304])
  expect(second?.total).toBe('0')
  expect(second?.requestId).toMatch(/^[0-9a-f-]{36}$/)
  expect(second?.requestId).not.toBe(first?.requestId)
})

test('memory is bounded: what was asked for longest ago is forgotten, and what is too large is not kept', async () => {
  await using service = await startTestClient({ memoryBytes: 8000 })
  const { api, client, exchanges } = service
  await api.save(...Array.from({ length: 20 }, () => aCampaign()))
  const { byteLength } = (await api.get('/campaigns?pageSize=3')).rawPayload
  expect(byteLength).toBeGreaterThan(1700)
  expect(byteLength).toBeLessThan(2500)

  for (const page of [1, 2, 1, 3, 1, 2]) await client.listCampaigns({ page, pageSize: 3 })
  expect(statuses(service), 'two fit: page 2 has made way for page 3').toEqual([200, 200, 304, 200, 304, 200])

  exchanges.length = 0
  for (const pageSize of [20, 20]) await client.listCampaigns({ pageSize })
  await client.listCampaigns({ page: 2, pageSize: 3 })
  expect(statuses(service), 'the others stay').toEqual([200, 200, 304])
})

test('URLs and headers count too: of many small answers few are remembered', async () => {
  const asked: { url: string; isKnown: boolean }[] = []
  const link = `<?${'x'.repeat(3000)}>; rel="next"`
  const client = createClient({
    baseUrl: 'http://service.example',
    memoryBytes: 20_000,
    fetch: async (request) => {
      asked.push({ url: request.url, isKnown: request.headers.has('if-none-match') })
      return new Response('{"campaigns":[],"totalCampaigns":0}', {
        headers: { 'content-type': 'application/json', etag: '"1"', ...(request.url.includes('owner') && { link }) },
      })
    },
  })
  const list = async (query: Parameters<typeof client.listCampaigns>[0]) => {
    await client.listCampaigns(query)
    return asked.at(-1)?.isKnown
  }
  const owners = Array.from({ length: 10 }, (_, index) => ({ owner: `0x${String(index).repeat(40)}` }))
  for (const query of owners) expect(await list(query)).toBe(false)
  // Each takes more than 3 kB beside its body.
  const remembered = []
  for (const query of [...owners].reverse()) remembered.push(await list(query))
  expect(remembered.slice(0, 6)).toEqual(Array(6).fill(true))
  expect(remembered.slice(6)).toEqual(Array(4).fill(false))
  const searches = Array.from({ length: 10 }, (_, index) => ({ search: `${index}${'y'.repeat(5000)}` }))
  for (const query of searches) await list(query)
  expect(await list(searches[9])).toBe(true)
  expect(await list(searches[5])).toBe(false)
})

test('without memory, nothing is asked by tag', async () => {
  await using service = await startTestClient({ memoryBytes: 0 })
  for (const _ of [1, 2]) await service.client.listCampaigns()
  expect(statuses(service)).toEqual([200, 200])
  expect(service.exchanges.map(({ request }) => request.headers.has('if-none-match'))).toEqual([false, false])
})

test('who names a tag is told that nothing has changed', async () => {
  await using service = await startTestClient()
  const { response } = await service.client.api.GET('/campaigns')
  const tag = response.headers.get('etag') ?? ''
  const again = await service.client.api.GET('/campaigns', { params: { header: { 'If-None-Match': tag } } })
  expect(again.response.status).toBe(304)
})

test('what has no body is not remembered', async () => {
  await using service = await startTestClient()
  // The document does not tell of HEAD, which the service answers all the same.
  const { response } = await service.client.api.HEAD('/campaigns' as never, {} as never)
  expect((response as Response).headers.has('etag')).toBe(true)
  expect(await service.client.listCampaigns()).toEqual({ campaigns: [], totalCampaigns: 0 })
  expect(statuses(service)).toEqual([200, 200])
})

test('what needs a token is not remembered', async () => {
  await using service = await startTestClient()
  const token = await issueToken(service.api, { userId: 'user-1' })
  const headers = { authorization: `Bearer ${token}` }
  const ask = () => service.client.api.GET('/campaigns/accesslists', { headers })
  expect((await ask()).data?.accesslists).toEqual([])
  await service.api.save(anAccessList({ userId: 'user-1' }))
  expect((await ask()).data?.accesslists).toHaveLength(1)
  expect(statuses(service)).toEqual([200, 200])
})

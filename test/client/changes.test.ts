import { type Change, createClient } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { toCheckedText } from '../../src/schemas/cursor-checks.ts'
import { aCampaign, aToken } from '../setup/records.ts'
import { startTestClient } from '../setup/test-client.ts'
import { waitFor } from '../setup/wait-for.ts'

test('changes go on where they were when connections are cut, and end with their signal', async () => {
  await using service = await startTestClient({ retries: 0 })
  const { api, client } = service
  const controller = new AbortController()
  const changes = client.changes({ kind: ['campaign.added'] }, { signal: controller.signal })
  const told: Change[] = []
  const take = async (count: number) => {
    while (told.length < count) {
      const { value } = await changes.next()
      if (value) told.push(value)
    }
  }
  const waiting = () => waitFor(async () => api.counts.streams() === 1 || undefined)
  const campaigns = Array.from({ length: 4 }, () => aCampaign())
  const [first, ...others] = campaigns
  if (first === undefined) throw new Error('there is no campaign')

  const begun = take(1)
  await waiting()
  api.app.server.closeAllConnections()
  // Nobody is connected: it would be missed by whoever began anew.
  await api.save(first)
  await begun
  const following = take(4)
  await waiting()
  api.app.server.closeAllConnections()
  for (const campaign of others) await api.save(campaign, aToken())
  await following
  expect(told).toMatchObject(campaigns.map(({ id }) => ({ kind: 'campaign.added', campaignId: id })))

  const after = told.at(1)?.cursor ?? ''
  const again = client.changes({ after, kind: ['campaign.added'] })
  expect([(await again.next()).value, (await again.next()).value]).toEqual(told.slice(2))
  await again.return()
  const ended = changes.next()
  await waiting()
  controller.abort()
  await expect(ended).rejects.toMatchObject({ name: 'AbortError' })
})

test('a history that is lost is a failure, and asked for once', async () => {
  await using service = await startTestClient()
  const lost = service.client.changes({ after: toCheckedText(Buffer.alloc(32)) })
  await expect(lost.next()).rejects.toMatchObject({
    status: 410,
    message: expect.stringContaining('export the data anew'),
  })
  expect(service.exchanges.map(({ status }) => status)).toEqual([410])
})

test.each([408, 425])('changes go on after a proxy has answered %i', async (status) => {
  await using service = await startTestClient()
  const responses = [new Response('<h1>later</h1>', { status })]
  const client = createClient({
    baseUrl: service.baseUrl,
    fetch: async (request) => responses.pop() ?? fetch(request),
  })
  const changes = client.changes({ kind: ['campaign.added'] })
  const next = changes.next()
  await waitFor(async () => service.api.counts.streams() === 1 || undefined)
  const campaign = aCampaign()
  await service.api.save(campaign)
  expect((await next).value).toMatchObject({ kind: 'campaign.added', campaignId: campaign.id })
  await changes.return()
})

test('changes are asked for again no sooner than the service wants', async () => {
  await using service = await startTestClient()
  const asked: number[] = []
  const client = createClient({
    baseUrl: service.baseUrl,
    retries: 0,
    async fetch(request) {
      asked.push(performance.now())
      return asked.length > 1 ? fetch(request) : new Response('{}', { status: 429, headers: { 'retry-after': '2' } })
    },
  })
  const changes = client.changes({})
  const next = changes.next()
  await waitFor(async () => service.api.counts.streams() === 1 || undefined)
  await service.api.save(aCampaign())
  await next
  await changes.return()
  expect(Number(asked[1]) - Number(asked[0])).toBeGreaterThan(1990)
})

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createBlockWait } from '../../../src/cache/minimum-blocks.ts'
import { parseAsOf } from '../../../src/database/lookups/followed-chains.ts'
import { setFollowed } from '../../setup/data/followed-chains.ts'
import { aCampaign } from '../../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp, startTestApp } from '../../setup/test-app.ts'

/** Every public operation that takes the parameter. */
async function pathsOf(api: BorrowedTestApp) {
  const campaign = aCampaign()
  await api.save(campaign)
  return [
    '/campaigns?',
    `/campaigns/${campaign.id}?`,
    '/reward-kit/trending?',
    '/explore/contracts?',
    '/activity?timeRange=30d&',
    `/outlook?campaignId=${campaign.id}&`,
    '/claims?',
    `/eligibility?user=${campaign.owner}&campaignId=${campaign.id}&`,
    `/users/${campaign.owner}/rewards?`,
  ]
}

test('an answer that is as of the block already is given at once, by every public operation', async () => {
  await using api = await borrowTestApp()
  // Two responses of different seconds would differ.
  api.setNow(new Date())
  const paths = await pathsOf(api)
  await setFollowed(api.database, 8453, 120)
  await setFollowed(api.database, 10, 7)
  for (const path of paths) {
    for (const blocks of ['8453:120', '8453:119,10:7', '10:0&minBlock=8453:1', '8453:1,8453:120']) {
      const response = await api.get(`${path}minBlock=${blocks}`)
      expect(response.statusCode, response.body).toBe(200)
      expect(response.headers['x-as-of']).toBe('10:7, 8453:120')
      expect(response.body).toBe((await api.get(path)).body)
    }
  }
})

test('an answer waits for the block, and is there as soon as that is', async () => {
  await using api = await borrowTestApp()
  const paths = await pathsOf(api)
  await setFollowed(api.database, 8453, 120)
  for (const [index, path] of paths.entries()) {
    const block = 121 + index
    const asked = api.get(`${path}minBlock=8453:${block}`)
    await sleep(300)
    const start = performance.now()
    await setFollowed(api.database, 8453, block)
    const response = await asked
    expect(response.statusCode).toBe(200)
    expect(response.headers['x-as-of']).toBe(`8453:${block}`)
    expect(performance.now() - start).toBeLessThan(500)
  }
})

describe('a block that does not come', () => {
  test('is 503 after two seconds, with how far each chain is', async () => {
    await using api = await borrowTestApp()
    await setFollowed(api.database, 8453, 120)
    await setFollowed(api.database, 10, null)
    const start = performance.now()
    const response = await api.get('/campaigns?minBlock=8453:121,10:5')
    expect(performance.now() - start).toBeGreaterThan(1900)
    expect(performance.now() - start).toBeLessThan(4000)
    expect(response.statusCode).toBe(503)
    expect(response.headers['retry-after']).toBe('1')
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.json()).toEqual({
      error: 'chain 8453 is at block 120, requested was 121; chain 10 is still backfilling, requested was 5',
    })
  })

  test('is waited for by no more than a thousand', async () => {
    await using api = await borrowTestApp({ MAX_CONCURRENT_REQUESTS: '5000' })
    await setFollowed(api.database, 8453, 120)
    const responses = await Promise.all(Array.from({ length: 1010 }, () => api.get('/campaigns?minBlock=8453:121')))
    const sentences = responses.map((response) => String(response.json().error))
    expect(sentences.filter((sentence) => sentence.includes('overloaded'))).toHaveLength(10)
    expect(sentences.filter((sentence) => sentence.includes('is at block 120'))).toHaveLength(1000)
  })

  test('is looked for by all who wait together, however many they are', async () => {
    let looks = 0
    const version = {
      revision: 1,
      epoch: '',
      listsVersion: '',
      history: 1,
      nextChangeAt: 0,
      asOf: parseAsOf('8453:120'),
    }
    const wait = createBlockWait(async () => {
      looks += 1
      return looks < 10 ? version : { ...version, asOf: parseAsOf('8453:121') }
    })
    const waiting = Array.from({ length: 500 }, () => wait(['8453:121'], version, undefined))
    for (const { asOf } of await Promise.all(waiting)) expect(asOf.text).toBe('8453:121')
    expect(looks).toBe(10)
  })

  test('ends a wait when the client has gone, and is no reason not to end', async () => {
    const api = await startTestApp()
    await setFollowed(api.database, 8453, 120)
    const url = await api.app.listen({ port: 0, host: '127.0.0.1' })
    await expect(fetch(`${url}/campaigns?minBlock=8453:121`, { signal: AbortSignal.timeout(100) })).rejects.toThrow()
    const waiting = fetch(`${url}/campaigns?minBlock=8453:121`)
    await sleep(100)
    const start = performance.now()
    await api[Symbol.asyncDispose]()
    expect(performance.now() - start).toBeLessThan(4000)
    expect((await waiting).status).toBe(503)
  })
})

test.each([
  { blocks: '1:5', error: 'minBlock names chain 1, which is not indexed (indexed: 10, 8453)' },
  {
    blocks: '9007199254740991:1',
    error: 'minBlock names chain 9007199254740991, which is not indexed (indexed: 10, 8453)',
  },
])('refused: $blocks', async ({ blocks, error }) => {
  await using api = await borrowTestApp()
  await setFollowed(api.database, 8453, 120)
  await setFollowed(api.database, 10, 7)
  const response = await api.get(`/campaigns?minBlock=${blocks}`)
  expect(response.statusCode).toBe(400)
  expect(response.json()).toEqual({ error })
})

test('where no chain is followed, none can be named', async () => {
  await using api = await borrowTestApp()
  const response = await api.get('/campaigns?minBlock=8453:0')
  expect(response.statusCode).toBe(400)
  expect(response.json()).toEqual({ error: 'minBlock names chain 8453, but no chain is indexed' })
})

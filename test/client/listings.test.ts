import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, aToken } from '../setup/records.ts'
import { startTestClient, type TestClient } from '../setup/test-client.ts'

const CAMPAIGNS = Array.from({ length: 23 }, (_, number) =>
  aCampaign({ owner: anAddress(number % 2), actionSteps: [aStep(anAddress(`target ${number}`))] }),
)

/** Newest first. */
const IDS = CAMPAIGNS.map(({ id }) => id).reverse()

describe('a listing', () => {
  let service: TestClient
  beforeAll(async () => {
    service = await startTestClient()
    await service.api.save(...CAMPAIGNS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const requestedUrls = () =>
    service.exchanges.splice(0).map(({ request: { url } }) => url.slice(service.baseUrl.length))

  test('gives every entry once, asking page by page', async () => {
    requestedUrls()
    const ids: string[] = []
    for await (const { id } of service.client.eachCampaign({ pageSize: 10 })) ids.push(id)
    expect(ids).toEqual(IDS)
    expect(requestedUrls()).toEqual([1, 2, 3].map((page) => `/campaigns?page=${page}&pageSize=10`))
  })

  test('walks through campaigns by cursors', async () => {
    requestedUrls()
    expect(await toArray(service.client.walkCampaigns({ pageSize: 10, fields: ['id'] }).pages())).toEqual(
      [IDS.slice(0, 10), IDS.slice(10, 20), IDS.slice(20)].map((ids) => ids.map((id) => ({ id }))),
    )
    expect(requestedUrls()[0]).toBe('/campaigns?fields=id&cursor=start&pageSize=10')
  })

  test('asks for no page that nobody comes to', async () => {
    requestedUrls()
    for await (const { id } of service.client.eachCampaign({ pageSize: 5 })) {
      if (id === IDS[6]) break
    }
    expect(requestedUrls()).toHaveLength(2)
  })

  test('passes on its filters, and takes 100 at a time', async () => {
    requestedUrls()
    const [page, ...others] = await toArray(service.client.eachCampaign({ owner: anAddress(1) }).pages())
    expect(page?.total).toBe(11)
    expect(page?.entries.every(({ owner }) => owner === anAddress(1))).toBe(true)
    expect(others).toEqual([])
    expect(requestedUrls()).toEqual([`/campaigns?owner=${anAddress(1)}&page=1&pageSize=100`])
  })

  test('of contracts tells the total of each page', async () => {
    const pages = await toArray(service.client.eachContract({ pageSize: 20 }).pages())
    expect(pages.map(({ entries, total }) => [entries.length, total])).toEqual([
      [20, 23],
      [3, 23],
    ])
    expect(new Set(pages.flatMap(({ entries }) => entries.map(({ address }) => address))).size).toBe(23)
  })

  test('gives a page by its number, past the end an empty one, each with the total', async () => {
    const listing = service.client.eachContract({ pageSize: 10 })
    const [, second] = await toArray(listing.pages())
    expect(await listing.page(2)).toEqual(second)
    expect(await listing.page(4)).toEqual({ entries: [], total: 23 })
  })

  test('that is empty is one empty page', async () => {
    const listing = service.client.eachCampaign({ owner: anAddress('nobody') })
    expect(await toArray(listing.pages())).toEqual([{ entries: [], total: 0 }])
    expect(await toArray(listing)).toEqual([])
  })

  test('gives every entry once however its page size changes on the way', async () => {
    const size = fc.integer({ min: 1, max: 30 })
    await fc.assert(
      fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 8 }), async ([first = 1, ...sizes]) => {
        const listing = service.client.eachCampaign({ pageSize: first })
        const ids: string[] = []
        for await (const { entries } of listing.pages()) {
          ids.push(...entries.map(({ id }) => id))
          expect(entries.length).toBeLessThanOrEqual(listing.pageSize)
          listing.pageSize = sizes.shift() ?? listing.pageSize
        }
        expect(ids).toEqual(IDS)
      }),
      { numRuns: 30 },
    )
  })

  test('starts anew with each iteration', async () => {
    const listing = service.client.eachCampaign()
    expect((await toArray(listing)).map(({ id }) => id)).toEqual(IDS)
    expect((await toArray(listing)).map(({ id }) => id)).toEqual(IDS)
  })

  test('refuses a page size that leads nowhere', async () => {
    for (const pageSize of [0, -1, Number.NaN]) {
      await expect(toArray(service.client.eachCampaign({ pageSize }))).rejects.toThrow(RangeError)
    }
    await expect(toArray(service.client.eachCampaign({ pageSize: 101 }))).rejects.toMatchObject({ status: 400 })
  })

  test('ends with its signal', async () => {
    const controller = new AbortController()
    const listing = service.client.eachCampaign({ pageSize: 10 }, { signal: controller.signal })
    const ids: string[] = []
    const read = async () => {
      for await (const { id } of listing) {
        ids.push(id)
        if (ids.length === 10) controller.abort()
      }
    }
    await expect(read()).rejects.toMatchObject({ name: 'AbortError' })
    expect(ids).toHaveLength(10)
  })
})

describe('a listing that goes on by cursors', () => {
  const token = aToken()
  const campaign = aCampaign({ incentives: [anErc20Incentive(token.address)] })
  const other = aCampaign({ incentives: [anErc20Incentive(token.address)] })
  const claimant = anAddress('claimant')
  const claims = Array.from({ length: 23 }, (_, number) =>
    aClaim(number % 2 === 0 ? campaign : other, { claimant, blockTimestamp: String(1_750_000_000 + number) }),
  )
  const newestFirst = claims.map(({ txHash }) => txHash).reverse()
  let service: TestClient
  beforeAll(async () => {
    service = await startTestClient()
    await service.api.save(token, campaign, other, ...claims)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  test('gives every entry once, whatever comes meanwhile, and starts anew with each iteration', async () => {
    const listing = service.client.eachClaim({ claimant, pageSize: 10 })
    const seen: string[] = []
    const sizes: number[] = []
    for await (const entries of listing.pages()) {
      sizes.push(entries.length)
      seen.push(...entries.map(({ txHash }) => txHash))
      if (sizes.length === 1) await service.api.save(aClaim(campaign, { claimant, blockTimestamp: '1760000000' }))
    }
    expect(sizes).toEqual([10, 10, 3])
    expect(seen).toEqual(newestFirst)
    expect(await toArray(listing)).toHaveLength(24)
  })

  test('has the rewards of an account, and one empty page where there are none', async () => {
    const rewards = await toArray(service.client.eachReward(claimant, { pageSize: 1 }))
    expect(rewards.map(({ campaignId }) => campaignId).sort()).toEqual([campaign.id, other.id].sort())
    expect(await toArray(service.client.eachReward(anAddress('nobody')).pages())).toEqual([[]])
    await expect(toArray(service.client.eachClaim({ pageSize: 0 }))).rejects.toThrow(RangeError)
  })
})

async function toArray<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const all: Entry[] = []
  for await (const entry of entries) all.push(entry)
  return all
}

import { toContent } from 'reward-campaigns-strict-http/content/representations'
import { expect, test } from 'vitest'
import { createCacheStore } from '../../src/cache/cache-store.ts'
import { NOTHING_FOLLOWED } from '../../src/database/lookups/followed-chains.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import type { ClaimRecord, ImportRecord } from '../../src/ingest/records.ts'
import { allOf, changesOf, createRandom, type Facts, identityOf, remember } from '../setup/data/derived-columns.ts'
import { generateSmallSample } from '../setup/data/small-sample.ts'
import {
  aCampaign,
  aClaim,
  anAddress,
  anErc20Incentive,
  aToken,
  toClaimIdentity,
  toLowerCase,
} from '../setup/records.ts'
import { firstOf, repeated } from '../setup/repetitions.ts'
import { borrowTestApp, startTestApp, type TestApp } from '../setup/test-app.ts'

/*
 * Which kept responses outlive a change of the data. What they are made of is taken away from under them where they should
 * be given without asking the database for it again.
 */

const responseAt = (revision: number, renderedAt: number) => ({
  version: { revision, epoch: '', listsVersion: '', history: 1, nextChangeAt: 0, asOf: NOTHING_FOLLOWED },
  isExact: true,
  renderedAt,
  confirmedAt: renderedAt,
  validUntil: Number.POSITIVE_INFINITY,
  content: toContent('{}'),
  headers: {},
  dependencies: undefined,
})

test('an answer that took longer does not take the place of one of a later version, which may have been given', () => {
  const kept = createCacheStore({ maxBytes: 100_000, hasChanged: () => true })
  const revisionOf = (cacheKey: string) => kept.lookupStale(cacheKey, 1000, 1000)?.version.revision
  kept.keep('a', responseAt(6, 20))
  kept.keep('a', responseAt(5, 10))
  expect(revisionOf('a')).toBe(6)
  // Where that version is lost, what is begun afterwards counts.
  kept.keep('a', responseAt(5, 30))
  expect(revisionOf('a')).toBe(5)
})

test('the compressed forms of an answer count towards the memory of all', () => {
  const kept = createCacheStore({ maxBytes: 100_000, hasChanged: () => false })
  const names = Array.from({ length: 10 }, (_, index) => `${index}`)
  for (const name of names) {
    const response = responseAt(1, 1)
    kept.keep(name, response)
    response.content.encodedBytes = 30_000
    kept.measureAgain(name, response)
  }
  const stored = names.filter((name) => kept.lookup(name, responseAt(1, 1).version, 1) !== undefined)
  expect(stored).toEqual(['7', '8', '9'])
})

test('the links of an answer count towards the memory of all', () => {
  const kept = createCacheStore({ maxBytes: 100_000, hasChanged: () => false })
  const names = Array.from({ length: 10 }, (_, index) => `${index}`)
  for (const name of names) kept.keep(name, { ...responseAt(1, 1), headers: { link: 'l'.repeat(30_000) } })
  const stored = names.filter((name) => kept.lookup(name, responseAt(1, 1).version, 1) !== undefined)
  expect(stored).toEqual(['7', '8', '9'])
})

/** Whether a response that has been given once is kept. */
async function isKept(api: Pick<TestApp, 'get' | 'counts'>, url: string) {
  const before = api.counts.cacheResults.hit
  await api.get(url)
  return api.counts.cacheResults.hit > before
}

async function startAppWithCampaigns() {
  const api = await startTestApp()
  const ingest = await openIngest(api.database.url)
  const asset = anAddress('asset')
  const [shown, other] = [1, 2].map((hour) =>
    aCampaign({
      owner: anAddress(`owner ${hour}`),
      incentives: [anErc20Incentive(asset)],
      maxParticipants: '2',
      blockTimestamp: String(1_700_000_000 + hour),
    }),
  )
  if (shown === undefined || other === undefined) throw new TypeError('there are two')
  await ingest.apply({ records: [aToken({ address: asset }), shown, other] })
  return {
    ...api,
    ingest,
    shown,
    other,
    list: `/campaigns?owner=${shown.owner}`,
    detail: `/campaigns/${shown.id}`,
    async [Symbol.asyncDispose]() {
      await ingest.close()
      await api[Symbol.asyncDispose]()
    },
  }
}

test('a claim on one campaign leaves alone what shows others, and what shows it is made anew', async () => {
  await using api = await startAppWithCampaigns()
  for (const url of [api.list, api.detail]) await api.get(url)
  await api.ingest.apply({ records: [aClaim(api.other)] })
  for (const url of [api.list, api.detail]) expect(await isKept(api, url), url).toBe(true)
  await api.ingest.apply({ records: [aClaim(api.shown)] })
  for (const url of [api.list, api.detail]) {
    expect(await isKept(api, url), url).toBe(false)
    expect((await api.get(url)).body, url).toContain('"totalClaims":"1"')
  }
})

test('a campaign that is exhausted, comes, is replaced or goes is missed by no list', async () => {
  await using api = await startAppWithCampaigns()
  const newcomer = aCampaign({ owner: api.other.owner })
  const batches = [
    { records: [aClaim(api.other), aClaim(api.other)] },
    { records: [newcomer] },
    { records: [{ ...newcomer, owner: api.shown.owner }] },
    { records: [], revertedCampaigns: [newcomer.id] },
  ]
  for (const [index, batch] of batches.entries()) {
    for (const url of [api.list, api.detail]) await api.get(url)
    await api.ingest.apply(batch)
    expect(await isKept(api, api.list), `list ${index}`).toBe(false)
    expect(await isKept(api, api.detail), `detail ${index}`).toBe(true)
  }
})

test('what belongs to no campaign, and what is written past the import, may change every answer', async () => {
  await using api = await startAppWithCampaigns()
  const changes = [
    () => api.ingest.apply({ records: [aToken({ address: anAddress('asset'), priceUsd: '7' })] }),
    () => api.ingest.apply({ records: [aToken({ address: anAddress('another') }), aClaim(api.other)] }),
    () => api.database.query("update campaigns set campaign_name = 'by hand' where id = $1", [api.other.id]),
  ]
  for (const [index, change] of changes.entries()) {
    await api.get(api.detail)
    expect(await isKept(api, api.detail), `before ${index}`).toBe(true)
    await change()
    expect(await isKept(api, api.detail), `after ${index}`).toBe(false)
  }
})

test('a campaign that starts or ends leaves alone what does not show it', async () => {
  await using api = await startAppWithCampaigns()
  await api.ingest.apply({ records: [{ ...api.other, endTime: '2026-02-01T00:00:00.000Z' }] })
  api.setNow(new Date('2026-01-31T23:59:59.000Z'))
  const active = '/campaigns?showActiveOnly=true'
  for (const url of [api.list, api.detail, active]) await api.get(url)
  api.setNow(new Date('2026-02-01T00:00:01.000Z'))
  for (const url of [api.list, api.detail]) expect(await isKept(api, url), url).toBe(true)
  expect(await isKept(api, active)).toBe(false)
  expect((await api.get(active)).json().totalCampaigns).toBe(1)
})

/** Whether the incentive of a claim is stored, and does not come along with it. */
const canBeClaimed = (facts: Facts, { campaignId, incentiveIndex }: ClaimRecord) =>
  allOf(facts, 'campaign').some(({ id, incentives }) => id === campaignId && incentives.length > incentiveIndex)

test.each(firstOf([1, 2, 3]))(
  'kept answers are those that would be made now, whatever batches come: %i',
  async (seed) => {
    await using keeping = await borrowTestApp()
    await using making = await startTestApp({ RESPONSE_CACHE_MB: '0' }, keeping.database)
    const ingest = await openIngest(keeping.database.url)
    try {
      const random = createRandom(seed)
      const start = new Date('2026-03-01T12:00:00Z')
      const facts: Facts = new Map()
      const records = toLowerCase([
        ...generateSmallSample({ campaigns: repeated(20, 30), claims: repeated(150, 200), seed, now: start }),
      ])
      await ingest.apply({ records })
      remember(facts, records)
      const campaigns = records.filter((record) => record.type === 'campaign')
      const urls = [
        ...campaigns.map(({ id }) => `/campaigns/${id}`),
        ...[
          '',
          '?sortBy=active',
          '?showActiveOnly=true',
          '?pageSize=0',
          '?page=3&pageSize=7',
          '?tokenWhitelist=false',
        ].map((query) => `/campaigns${query}`),
        ...campaigns.slice(0, 5).map(({ owner }) => `/campaigns?owner=${owner}`),
        '/reward-kit/trending',
        '/explore/contracts?timeRange=7d',
        `/activity?timeRange=7d&campaignId=${campaigns.map(({ id }) => id)}`,
      ]
      for (let round = 0; round < repeated(8, 12); round += 1) {
        const now = new Date(start.getTime() + round * 6 * 3_600_000 * random())
        for (const api of [keeping, making]) api.setNow(now)
        for (const url of urls) {
          const [kept, made] = [await keeping.get(url), await making.get(url)]
          expect(kept.body, `seed ${seed}, round ${round}, ${url}`).toBe(made.body)
          expect(kept.headers.etag).toBe(made.headers.etag)
        }
        const changes = toLowerCase(changesOf(facts, random))
        // Mostly a few claims, as blocks bring them.
        const few = changes.filter((record) => record.type === 'claim' && canBeClaimed(facts, record)).slice(0, 3)
        const brought: ImportRecord[] = random() < 0.7 ? few : changes
        const revertedClaims = [...facts.values()]
          .filter((record): record is ClaimRecord => record.type === 'claim' && !brought.includes(record))
          .filter(() => random() < 0.01)
        await ingest.apply({ records: brought, revertedClaims: revertedClaims.map(toClaimIdentity) })
        for (const claim of revertedClaims) facts.delete(identityOf(claim))
        remember(facts, brought)
      }
    } finally {
      await ingest.close()
    }
  },
)

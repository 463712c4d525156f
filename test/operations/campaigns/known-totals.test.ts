import { expect, test, vi } from 'vitest'
import { readRecord } from '../../../src/import/record-reader.ts'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ClaimRecord, ImportRecord } from '../../../src/ingest/records.ts'
import { mapSomeFacets } from '../../setup/data/campaign-maps.ts'
import { createRandom, randomBatch } from '../../setup/data/random-records.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken, toClaimIdentity } from '../../setup/records.ts'
import { firstOf, repeated } from '../../setup/repetitions.ts'
import { combinationsOf, filtersOf } from '../../setup/requests/every-filter.ts'
import { identityOf, type QueryText } from '../../setup/second-opinion/second-opinion.ts'
import { expectedCampaigns } from '../../setup/second-opinion/second-opinion-campaigns.ts'
import { type BorrowedTestApp, borrowTestApp, startTestApp } from '../../setup/test-app.ts'

/*
 * Totals that the process remembers, while batches alter lists or do not, and while the clock moves. Whole answers are compared
 * with a second opinion that is computed from the records alone.
 */

const keepingNothing = { RESPONSE_CACHE_MB: '0' }
/** The data lies around this instant (Unix seconds). */
const base = Date.parse('2026-03-01T12:00:00Z') / 1000

async function compare(api: BorrowedTestApp, queries: QueryText[], records: readonly ImportRecord[], now: Date) {
  api.setNow(now)
  await Promise.all(
    queries.map(async (query) => {
      const url = `/campaigns?${new URLSearchParams(query)}`
      const { body } = await api.get(url)
      expect(JSON.parse(body), `${now.toISOString()} ${url}`).toEqual(expectedCampaigns(records, query, now))
    }),
  )
}

/** The same question in other words, for another page, so that only its total can be known. */
const pagesOf = (query: QueryText): QueryText[] => [
  { ...query, pageSize: '0' },
  { ...query, pageSize: '3' },
  { ...query, pageSize: '2', page: '2' },
]

const listsVersion = async ({ database }: BorrowedTestApp) =>
  (await database.query('select lists_version from data_versions order by revision desc limit 1'))[0]?.lists_version

test('a total is counted once, and again only when a revision has altered lists', async () => {
  await using api = await borrowTestApp(keepingNothing)
  const asset = anAddress('asset')
  const campaign = aCampaign({ incentives: [anErc20Incentive(asset)], maxParticipants: '2' })
  await api.save(aToken({ address: asset }), campaign, aCampaign())
  const totals = async () =>
    Promise.all(
      ['pageSize=0', 'pageSize=1', 'page=2'].map(
        async (page) => (await api.get(`/campaigns?${page}`)).json().totalCampaigns,
      ),
    )
  expect(await totals()).toEqual([2, 2, 2])
  const before = await listsVersion(api)
  // Whoever counts again finds nothing.
  await api.database.query('delete from facet_bitmaps')
  expect(await totals()).toEqual([2, 2, 2])
  await api.save(aClaim(campaign))
  expect(await listsVersion(api)).toEqual(before)
  expect(await totals()).toEqual([2, 2, 2])
  await api.save(aClaim(campaign, { claimant: anAddress('another') }))
  expect(await listsVersion(api)).not.toEqual(before)
  // A bit of the one that is found otherwise than before.
  expect(await totals()).toEqual([1, 1, 1])
})

test('a total that is known costs an index lookup, and a page reads the newest segment alone', async () => {
  await using api = await startTestApp(keepingNothing)
  const campaigns = Array.from({ length: 60 }, (_, index) => aCampaign({ blockTimestamp: String(base + index) }))
  await api.save(...campaigns)
  await api.database.query('select rebuild_campaign_bitmaps(5)')
  await api.get('/campaigns?pageSize=0')
  const asked = vi.spyOn(api.lanes.queries.pool, 'query')
  expect((await api.get('/campaigns?pageSize=0&page=2')).json()).toEqual({ campaigns: [], totalCampaigns: 60 })
  expect(asked).not.toHaveBeenCalled()
  await api.database.query('delete from facet_bitmaps where segment < (select max(segment) from bitmap_segments)')
  const { body } = await api.get('/campaigns?pageSize=3')
  expect(JSON.parse(body)).toEqual(expectedCampaigns(campaigns, { pageSize: '3' }, new Date()))
})

test('a page that is known is not looked for again until lists change, and shows the figures of now', async () => {
  await using api = await borrowTestApp(keepingNothing)
  const [asset, owner] = [anAddress('asset'), anAddress('owner')]
  const records = [
    aToken({ address: asset }),
    ...Array.from({ length: 3 }, (_, index) =>
      aCampaign({ owner, blockTimestamp: String(base + index), incentives: [anErc20Incentive(asset)] }),
    ),
  ]
  await api.save(...records)
  const queries = [{ owner }, { sortBy: 'active' }, { showActiveOnly: 'true', pageSize: '2' }]
  await compare(api, queries, records, new Date(base * 1000))
  const parameters = 'integer[], text[], bigint[], text[], text, timestamptz, integer, bigint, boolean, jsonb'
  const claim = aClaim(records[1] as CampaignRecord)
  await api.save(claim)
  await api.database.query(`alter function campaign_page(${parameters}) rename to hidden`)
  await compare(api, queries, [...records, claim], new Date(base * 1000))
  await api.database.query(`alter function hidden(${parameters}) rename to campaign_page`)
  const another = aCampaign({ owner, blockTimestamp: String(base + 9), incentives: [anErc20Incentive(asset)] })
  await api.save(another)
  await compare(api, queries, [...records, claim, another], new Date(base * 1000))
})

test('a total of another history is never taken, though its revisions have the same numbers', async () => {
  await using api = await borrowTestApp(keepingNothing)
  await api.save(aCampaign())
  expect((await api.get('/campaigns')).json().totalCampaigns).toBe(1)
  // As if the commit had been lost in a failover, and another had come in its place.
  const [lost] = await api.database.query('select max(revision)::integer as revision from data_versions')
  await api.database.query('delete from data_versions where revision = $1', [lost?.revision])
  await api.database.query('delete from changes where revision = $1', [lost?.revision])
  await api.save(aCampaign())
  expect(await api.database.query('select max(revision)::integer as revision from data_versions')).toEqual([lost])
  expect((await api.get('/campaigns')).json().totalCampaigns).toBe(2)
})

test('a total of active campaigns is right whenever the clock passes a start or an end, also backwards', async () => {
  await using api = await borrowTestApp(keepingNothing)
  const instant = (seconds: number) => new Date((base + seconds) * 1000).toISOString()
  const records = [10, 20, 30, 31].flatMap((seconds) => [
    aCampaign({ startTime: instant(seconds), endTime: instant(seconds + 15) }),
    aCampaign({ endTime: instant(seconds) }),
  ])
  await api.save(...records)
  const queries = [{ showActiveOnly: 'true' }, { sortBy: 'active' }, {}].flatMap(pagesOf)
  for (const seconds of [0, 1, 9.999, 10, 11, 19.999, 20, 25, 30.5, 31, 46, 31, 0, 44.999, 45, 90, 10]) {
    await compare(api, queries, records, new Date((base + seconds) * 1000))
  }
})

/** As the reader of an import gives it. */
function asRead(record: ImportRecord) {
  const read = readRecord(Buffer.from(JSON.stringify(record)))
  if (read === undefined || !('record' in read)) throw new Error(`not a record: ${JSON.stringify(read)}`)
  return read.record
}

test.each(firstOf([1, 2]))(
  'the same questions have the totals of the records after batches of any kind: seed %i',
  { timeout: 120_000 },
  async (seed) => {
    const random = createRandom(seed)
    await using api = await borrowTestApp(keepingNothing)
    const ingest = await openIngest(api.database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    let records: ImportRecord[] = []
    let unaltered = 0
    async function apply(added: ImportRecord[], gone: ImportRecord[] = []) {
      await ingest.apply({
        records: added.map(asRead),
        revertedClaims: gone
          .filter(({ type }) => type === 'claim')
          .map((claim) => toClaimIdentity(asRead(claim) as ClaimRecord)),
        revertedCampaigns: gone.flatMap((record) => (record.type === 'campaign' ? record.id.toLowerCase() : [])),
      })
      const facts = new Map([...records, ...added].map((record) => [identityOf(record), record]))
      for (const record of gone) facts.delete(identityOf(record))
      records = [...facts.values()]
    }
    await apply(randomBatch(records, base, random))
    await apply(randomBatch(records, base, random))
    await api.database.query('select rebuild_campaign_bitmaps(5)')
    await mapSomeFacets(api.database, 0.4)
    const queries = random.some(combinationsOf(filtersOf(records)), repeated(0.5, 1)).flatMap((combination) => {
      const query = combination(random)
      const activity = random.pick([{}, { showActiveOnly: 'true' }, { sortBy: 'active' }])
      return pagesOf({ ...query, ...activity, tokenWhitelist: random.pick(['true', 'false']) })
    })
    const some = () => random.shuffled(queries).slice(0, repeated(10, 40))
    const campaigns = () => records.filter((record): record is CampaignRecord => record.type === 'campaign')
    const kinds: (() => Promise<void>)[] = [
      () => apply(randomBatch(records, base, random)),
      () => apply(records.filter(({ type }) => type === 'contract')),
      // Some exhaust their campaign.
      () =>
        apply(
          random.some(
            records.flatMap((record) =>
              record.type === 'claim' ? { ...record, txHash: anAddress(random.fraction()) + '0'.repeat(24) } : [],
            ),
            0.2,
          ),
        ),
      // Some flip whether their campaigns are whitelisted.
      () =>
        apply(
          records.flatMap((record) =>
            record.type === 'token' && random.chance(0.4) ? { ...record, whitelisted: !record.whitelisted } : [],
          ),
        ),
      () =>
        apply(
          random.some(campaigns(), 0.2).map((campaign) => ({ ...campaign, owner: random.pick(campaigns()).owner })),
        ),
      async () => {
        const withdrawn = random.some(campaigns(), 0.1)
        const ids = new Set(withdrawn.map(({ id }) => id.toLowerCase()))
        await apply(
          [],
          records.filter(
            (record) =>
              (record.type === 'campaign' && ids.has(record.id.toLowerCase())) ||
              ('campaignId' in record && ids.has(record.campaignId.toLowerCase())),
          ),
        )
      },
    ]
    for (let round = 0; round < repeated(12, 18); round += 1) {
      const before = await listsVersion(api)
      await kinds[round % kinds.length]?.()
      if ((await listsVersion(api)) === before) unaltered += 1
      for (const seconds of [0, random.integer(0, 3600)]) {
        const now = new Date((base + 60 * round + seconds) * 1000)
        await compare(api, some(), records, now)
        await compare(api, some(), records, now)
      }
    }
    expect(unaltered).toBeGreaterThanOrEqual(2)
  },
)

test('totals are right where values have just too few campaigns for maps, just enough, and fewer again', async () => {
  await using api = await borrowTestApp(keepingNothing)
  const ingest = await openIngest(api.database.url)
  await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
  const budgets = [anAddress('one budget'), anAddress('another budget')]
  const campaigns = Array.from({ length: 302 }, (_, index) =>
    aCampaign({
      id: `8453:${anAddress('core')}:${index}`,
      budget: budgets[index % 2] as string,
      owner: anAddress('owner'),
      blockTimestamp: String(base - 1000 + index),
      incentives: [],
    }),
  )
  const of = (budget: string[]) => pagesOf({ budgetAccount: budget.join(',') })
  const queries = [
    ...of(budgets),
    ...budgets.flatMap((budget) => of([budget])),
    ...pagesOf({ owner: anAddress('owner') }),
  ]
  let records: ImportRecord[] = []
  for (const count of [148, 149, 150, 151, 297, 298, 299, 300, 301, 302]) {
    const added = campaigns.slice(records.length, count)
    await ingest.apply({ records: added.map(asRead) })
    records = campaigns.slice(0, count)
    for (const _twice of [1, 2]) await compare(api, queries, records, new Date(base * 1000))
  }
  for (const count of [301, 300, 298, 151, 149]) {
    await ingest.apply({ records: [], revertedCampaigns: campaigns.slice(count, records.length).map(({ id }) => id) })
    records = campaigns.slice(0, count)
    for (const _twice of [1, 2]) await compare(api, queries, records, new Date(base * 1000))
  }
})

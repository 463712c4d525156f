import { expect, test } from 'vitest'
import { readRecord } from '../../../src/import/record-reader.ts'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ClaimRecord, ImportRecord } from '../../../src/ingest/records.ts'
import { createRandom, randomBatch } from '../../setup/data/random-records.ts'
import { aCampaign, anAddress, toClaimIdentity } from '../../setup/records.ts'
import { firstOf, repeated } from '../../setup/repetitions.ts'
import { combinationsOf, filtersOf } from '../../setup/requests/every-filter.ts'
import { identityOf, latestOf, type QueryText } from '../../setup/second-opinion/second-opinion.ts'
import { expectedCampaigns } from '../../setup/second-opinion/second-opinion-campaigns.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

/*
 * Totals of a process that follows, while batches alter lists or do not, and while the clock moves. Whole answers are compared with
 * a second opinion that is computed from the records alone.
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

/** The same question for several pages. */
const pagesOf = (query: QueryText): QueryText[] => [
  { ...query, pageSize: '0' },
  { ...query, pageSize: '3' },
  { ...query, pageSize: '2', page: '2' },
]

const listsVersion = async ({ database }: BorrowedTestApp) =>
  (await database.query('select lists_version from data_versions order by revision desc limit 1'))[0]?.lists_version

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
      const facts = new Map(latestOf([...records, ...added]).map((record) => [identityOf(record), record]))
      for (const record of gone) facts.delete(identityOf(record))
      records = [...facts.values()]
    }
    await apply(randomBatch(records, base, random))
    await apply(randomBatch(records, base, random))
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

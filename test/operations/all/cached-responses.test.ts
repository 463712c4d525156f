import { expect, test } from 'vitest'
import { readRecord } from '../../../src/import/record-reader.ts'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import type { Batch } from '../../../src/ingest/staging/staged-batches.ts'
import { createRandom, type Random, randomBatch } from '../../setup/data/random-records.ts'
import { createTestDatabase } from '../../setup/database.ts'
import { anAddress, toRemoval } from '../../setup/records.ts'
import { firstOf, repeated } from '../../setup/repetitions.ts'
import { latestOf } from '../../setup/second-opinion/second-opinion.ts'
import { activityQuery } from '../../setup/second-opinion/second-opinion-activity.ts'
import { claimsQuery } from '../../setup/second-opinion/second-opinion-claims.ts'
import { eligibilityQuery } from '../../setup/second-opinion/second-opinion-eligibility.ts'
import { outlookQuery } from '../../setup/second-opinion/second-opinion-outlook.ts'
import { type Vocabulary, vocabularyOf } from '../../setup/second-opinion/second-opinion-queries.ts'
import { startTestApp } from '../../setup/test-app.ts'

/*
 * Kept responses after one small change at a time, each compared with one that is made: large batches leave nothing that
 * could be kept too long. What is made is compared with second opinions elsewhere.
 */

const base = 1_772_366_400

type OfType<Type extends ImportRecord['type']> = Extract<ImportRecord, { type: Type }>

interface Facts {
  records: readonly ImportRecord[]
  words: Vocabulary
  random: Random
}

const ofType = <Type extends ImportRecord['type']>(records: readonly ImportRecord[], type: Type) =>
  records.filter((record): record is OfType<Type> => record.type === type)

function asRead<Type extends ImportRecord>(record: Type) {
  const read = readRecord(Buffer.from(JSON.stringify(record)))
  if (read === undefined || !('record' in read)) throw new Error(`not a record: ${JSON.stringify(read)}`)
  return read.record as Type
}

/** Another record of a type, as a batch could bring it. */
function another({ records, random }: Facts, type: ImportRecord['type']) {
  const coming = ofType(randomBatch(records, base, random), type)
  return coming.length === 0 ? [] : [random.pick<ImportRecord>(coming)]
}

const tokenOf = ({ words, random }: Facts) => {
  const [chainId, address = ''] = random.pick(words.tokens.filter((token) => !token.endsWith('collection'))).split(':')
  return { chainId: Number(chainId), address: address.toLowerCase() }
}

const paying = ({ records }: Facts) => ofType(records, 'campaign').filter(({ incentives }) => incentives.length > 0)

/** What a follower of a chain reads of an incentive: another limit. */
function changedIncentive(facts: Facts): Batch['incentives'] {
  const { id, incentives } = asRead(facts.random.pick(paying(facts)))
  const position = facts.random.integer(0, incentives.length - 1)
  const definition = incentives[position] as CampaignRecord['incentives'][number]
  if (!('limit' in definition)) return []
  return [{ campaignId: id, position, definition: { ...definition, limit: facts.random.pick(['0', '1', '1000000']) } }]
}

/** Records that come, each alone. */
const comingRecords: readonly ((facts: Facts) => ImportRecord[])[] = [
  ...(
    ['claim', 'claim', 'claimSignature', 'token', 'accessList', 'campaign', 'actionTemplate', 'contract'] as const
  ).map((type) => (facts: Facts) => another(facts, type)),
  (facts) => {
    const claims = ofType(facts.records, 'claim')
    return claims.length === 0 ? [] : [{ ...facts.random.pick(claims), claimant: facts.random.pick(facts.words.users) }]
  },
  (facts) => [
    {
      ...{ type: 'tokenPrice', ...tokenOf(facts), priceUsd: facts.random.pick(['1', '2', null]) },
      at: new Date((base - facts.random.integer(0, 700_000)) * 1000).toISOString(),
    },
  ],
  (facts) => {
    const campaign = facts.random.pick(paying(facts))
    const asset = anAddress(`asset ${facts.random.integer(1, 4)}`)
    const incentives = campaign.incentives.map((one) =>
      'asset' in one && one.asset !== undefined ? { ...one, asset } : one,
    )
    return [{ ...campaign, incentives } as CampaignRecord]
  },
  ({ records, random }) => [
    {
      ...{ type: 'campaignMetadata', id: random.pick(ofType(records, 'campaign')).id },
      ...random.pick<object>([
        { campaignName: `Name ${random.integer(0, 9)}` },
        { endTime: new Date((base + random.integer(-60, 3600)) * 1000).toISOString() },
      ]),
    },
  ],
]

const removable = ['claim', 'claim', 'claimSignature', 'tokenPrice', 'campaignMetadata', 'token'] as const

/** One small change, and the records after it. */
function changeOne(facts: Facts): { batch: Batch; records: readonly ImportRecord[] } {
  const { records, random } = facts
  const kind = random.integer(0, comingRecords.length + removable.length)
  const come = comingRecords[kind]
  if (come !== undefined) {
    const coming = come(facts)
    return { batch: { records: coming.map(asRead) }, records: latestOf([...records, ...coming]) }
  }
  const known = ofType(records, removable[kind - comingRecords.length] ?? 'contract')
  if (known.length === 0) return { batch: { records: [], incentives: changedIncentive(facts) ?? [] }, records }
  const gone = random.pick<ImportRecord>(known)
  return {
    batch: { records: [], removals: [toRemoval(asRead(gone))] },
    records: records.filter((record) => record !== gone),
  }
}

/** About the accounts, campaigns and tokens that there are at first. */
function urlsOf(words: Vocabulary, random: Random) {
  const urls = Array.from({ length: 6 }, () => [
    `/eligibility?${new URLSearchParams(eligibilityQuery(words, random))}`,
    `/outlook?${new URLSearchParams(outlookQuery(words, random))}`,
    `/claims?${new URLSearchParams(claimsQuery(words, random, base))}`,
    `/activity?${new URLSearchParams(activityQuery(words, random))}`,
    ...['', '&state=claimable', '&state=claimed'].map(
      (state) => `/users/${random.pick(words.users)}/rewards?pageSize=${random.pick(['1', '100'])}${state}`,
    ),
  ])
  return [...new Set(urls.flat())]
}

test.each(firstOf([71, 72, 73]))(
  'what is kept about accounts and campaigns is what is made, after each small change: seed %i',
  { timeout: 400_000 },
  async (seed) => {
    const random = createRandom(seed)
    await using database = await createTestDatabase()
    await using keeping = await startTestApp({}, database)
    await using making = await startTestApp({ RESPONSE_CACHE_MB: '0' }, database)
    const ingest = await openIngest(database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    let records: readonly ImportRecord[] = randomBatch([], base, random)
    await ingest.apply({ records: records.map(asRead) })
    const words = vocabularyOf(records)
    const urls = urlsOf(words, random)
    const rounds = repeated(25, 120)
    let applied = 0
    for (let round = 0; round < rounds; round += 1) {
      const change = changeOne({ records, words, random })
      // One that something else refers to stays.
      const isApplied = await ingest.apply(change.batch).then(
        () => true,
        () => false,
      )
      if (isApplied) {
        records = change.records
        applied += 1
      }
      const now = new Date((base + Math.floor(round / 10) * 60) * 1000)
      for (const api of [keeping, making]) api.setNow(now)
      for (const url of random.some(urls, repeated(0.3, 0.6))) {
        const [kept, made] = [await keeping.get(url), await making.get(url)]
        expect(made.statusCode, url).toBe(200)
        expect(kept.json(), `seed ${seed}, round ${round}, ${JSON.stringify(change.batch)}, ${url}`).toEqual(
          made.json(),
        )
      }
    }
    expect(applied).toBeGreaterThan(rounds / 2)
    // The less often is asked, the more has changed meanwhile; what others claim changes what is left of a reward, and any
    // state of its chain what is claimed by proofs.
    expect(keeping.counts.cacheResults.hit).toBeGreaterThan(keeping.counts.cacheResults.miss / repeated(5, 2.3))
  },
)

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import type { ProfileRecord } from '../../src/ingest/records.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { anAddress, aProfile, inUpperCase } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'

const save = (database: TestDatabase, ...records: ProfileRecord[]) =>
  importRecords(database.url, [toRecordSource('profiles', records)])

const stored = (database: TestDatabase) =>
  database.query('select score_bucket, profile_count from profile_score_counts order by 1')

const recomputed = (database: TestDatabase) =>
  database.query('select score_bucket, count(*)::integer as profile_count from profiles group by 1 order by 1')

async function bucketsOf(database: TestDatabase, scores: number[]) {
  const rows = await database.query(
    'select score_bucket(score) from unnest($1::float8[]) with ordinality as scores (score, place) order by place',
    [scores],
  )
  return rows.map(({ score_bucket }) => Number(score_bucket))
}

const accounts = Array.from({ length: 30 }, (_, index) => anAddress(`ranked ${index}`))
const anyScore = fc.oneof(
  fc.constantFrom(0, -0, 1, 1000, 1000.5, 1000.4999, -1000, 5e-324, 1.7976931348623157e308, -1e308),
  fc.integer({ min: -5, max: 5 }),
  fc.integer({ min: 0, max: 20_000 }).map((number) => 1000 + number * 1e-4),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

test('the counts of scores are what a recomputation gives, after whatever imports', async () => {
  const batch = fc.array(fc.record({ userAddress: fc.constantFrom(...accounts), score: anyScore }), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 5 }), async (batches) => {
      await using database = await createTestDatabase()
      for (const profiles of batches) {
        // An account may come several times, in any case: the last counts.
        await save(
          database,
          ...profiles.map(({ userAddress, score }, index) =>
            aProfile({ userAddress: index % 3 === 0 ? inUpperCase(userAddress) : userAddress, score }),
          ),
        )
        expect(await stored(database)).toEqual(await recomputed(database))
      }
      const seen = new Set(batches.flat().map(({ userAddress }) => userAddress))
      const counts = await stored(database)
      expect(counts.reduce((sum, { profile_count }) => sum + Number(profile_count), 0)).toBe(seen.size)
    }),
    { numRuns: repeated(4, 8) },
  )
})

test('a count is deleted when the last profile of its scores has another one', async () => {
  await using database = await createTestDatabase()
  const [first, second] = [aProfile({ score: 1 }), aProfile({ score: 1 })]
  const [low, high] = await bucketsOf(database, [1, 5000])
  await save(database, first, second)
  expect(await stored(database)).toEqual([{ score_bucket: low, profile_count: 2 }])
  await save(database, { ...first, score: 5000 })
  expect(await stored(database)).toEqual([
    { score_bucket: low, profile_count: 1 },
    { score_bucket: high, profile_count: 1 },
  ])
  await save(database, { ...second, score: 5000 })
  expect(await stored(database)).toEqual([{ score_bucket: high, profile_count: 2 }])
  await save(database, { ...second, score: 1 }, { ...first, score: 1 })
  expect(await stored(database)).toEqual([{ score_bucket: low, profile_count: 2 }])
})

test('importing the same again changes nothing', async () => {
  await using database = await createTestDatabase()
  const profiles = fc
    .sample(anyScore, { numRuns: 50, seed: 7 })
    .map((score, index) => aProfile({ userAddress: anAddress(`same ${index}`), score }))
  await save(database, ...profiles)
  const before = [await stored(database), await database.query('select * from profiles order by user_address')]
  await save(database, ...profiles)
  expect([await stored(database), await database.query('select * from profiles order by user_address')]).toEqual(before)
})

test('an import that fails, or is only checked, leaves the counts as they are', async () => {
  await using database = await createTestDatabase()
  const profile = aProfile({ score: 1 })
  await save(database, profile)
  const before = await stored(database)
  await importRecords(database.url, [toRecordSource('profiles', [{ ...profile, score: 9 }])], { isDryRun: true })
  await expect(save(database, { ...profile, score: 9 }, aProfile({ ethEarned: '-1' }))).rejects.toThrow()
  expect(await stored(database)).toEqual(before)
})

test('a higher score is never in a lower bucket, and zero and minus zero are in the same', async () => {
  await using database = await createTestDatabase()
  const edges = [0, 5e-324, 2.2250738585072014e-308, 1e-5, 0.5, 1, 1000, 1024, 2 ** 53, 1e100, 1.7976931348623157e308]
  const scores = [
    ...edges.flatMap((edge) => [edge, -edge]),
    ...fc.sample(anyScore, { numRuns: 3000, seed: 3 }),
    ...fc.sample(anyScore, { numRuns: 300, seed: 4 }).map((score) => score * (1 + Number.EPSILON)),
  ]
    .filter(Number.isFinite)
    .sort((left, right) => left - right)
  const buckets = await bucketsOf(database, scores)
  for (const [index, bucket] of buckets.entries()) {
    if (index > 0) expect(bucket, `${scores[index]}`).toBeGreaterThanOrEqual(Number(buckets[index - 1]))
  }
  const [zero, minusZero] = await bucketsOf(database, [0, -0])
  expect(zero).toBe(minusZero)
})

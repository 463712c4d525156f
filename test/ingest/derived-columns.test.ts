import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { changesOf, createRandom, expectToAgree, type Facts, remember, WINDOWS } from '../setup/data/derived-columns.ts'
import { generateSmallSample } from '../setup/data/small-sample.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { firstOf } from '../setup/repetitions.ts'

const now = new Date('2026-03-01T12:00:00Z')
const save = (database: TestDatabase, records: ImportRecord[]) =>
  importRecords(database.url, [toRecordSource('records', records)])

test.each(
  firstOf(
    [
      { seed: 1, campaigns: 40, claims: 600 },
      { seed: 2, campaigns: 90, claims: 300 },
      { seed: 3, campaigns: 12, claims: 900 },
      { seed: 4, campaigns: 150, claims: 1500 },
    ],
    2,
  ),
)('derived columns are what the records say, after imports and changes: $seed', async ({ seed, campaigns, claims }) => {
  await using database = await createTestDatabase()
  const random = createRandom(seed)
  const facts: Facts = new Map()
  const first = [...generateSmallSample({ campaigns, claims, seed, now })]
  await save(database, first)
  remember(facts, first)
  await expectToAgree(database, facts)

  const another = [...generateSmallSample({ campaigns: 20, claims: 100, seed: seed + 100, now })]
  await save(database, another)
  remember(facts, another)
  let agreed = await expectToAgree(database, facts)
  for (let round = 0; round < 3; round++) {
    const changes = changesOf(facts, random)
    expect(changes.length).toBeGreaterThan(20)
    await save(database, changes)
    remember(facts, changes)
    agreed = await expectToAgree(database, facts)
  }
  const { incentives, campaigns: stored, campaignTotals, contractTotals, claimHours } = agreed
  expect(claimHours.length).toBeGreaterThan(20)
  // Of each kind there are some, else the comparison would say little.
  for (const isSo of [true, false]) {
    expect(incentives.some(({ is_spent }) => is_spent === isSo)).toBe(true)
    expect(stored.some(({ is_exhausted }) => is_exhausted === isSo)).toBe(true)
    expect(stored.some(({ has_whitelisted_rewards }) => has_whitelisted_rewards === isSo)).toBe(true)
  }
  // Every window has claims that the next larger one has more of.
  for (const totals of [campaignTotals, contractTotals]) {
    const claimsIn = WINDOWS.map((seconds) =>
      totals
        .filter(({ window_seconds }) => window_seconds === seconds)
        .reduce((sum, { claim_count }) => sum + Number(claim_count), 0),
    )
    const [ofAllTime = 0, ...windows] = claimsIn
    for (const [index, claims] of windows.entries()) expect(claims).toBeLessThan(windows[index + 1] ?? ofAllTime)
    expect(windows[0]).toBeGreaterThan(0)
  }
})

test('whitelisting a token shows the stored campaigns that pay it, and taking it back hides them', async () => {
  await using database = await createTestDatabase()
  const [one, two] = [anAddress('one'), anAddress('two')]
  const paysOne = aCampaign({ incentives: [anErc20Incentive(one)] })
  const paysBoth = aCampaign({ incentives: [anErc20Incentive(two), anErc20Incentive(one)] })
  const elsewhere = aCampaign({ id: paysOne.id.replace('8453:', '10:'), incentives: [anErc20Incentive(one)] })
  const shown = async () =>
    (await database.query('select id from campaigns where has_whitelisted_rewards order by key')).map(({ id }) => id)
  await save(database, [paysOne, paysBoth, elsewhere])
  expect(await shown()).toEqual([])
  await save(database, [aToken({ address: one })])
  expect(await shown()).toEqual([paysOne.id])
  await save(database, [aToken({ address: two }), aToken({ address: one, chainId: 10 })])
  expect(await shown()).toEqual([paysOne.id, paysBoth.id, elsewhere.id])
  await save(database, [aToken({ address: one, whitelisted: false })])
  expect(await shown()).toEqual([elsewhere.id])
})

test('a claim that moves leaves its figures with the incentive it moves to, of the same campaign or of another', async () => {
  await using database = await createTestDatabase()
  const incentive = anErc20Incentive(anAddress('asset'))
  const from = aCampaign({ incentives: [incentive, incentive], maxParticipants: '1' })
  const to = aCampaign({ incentives: [incentive] })
  const claim = aClaim(from, { amount: '5' })
  const figures = async () => ({
    incentives: (
      await database.query('select claim_count, claimed_amount from incentives order by campaign_key, position')
    ).map(({ claim_count, claimed_amount }) => `${claim_count} of ${claimed_amount}`),
    exhausted: (await database.query('select is_exhausted from campaigns order by key')).map(
      ({ is_exhausted }) => is_exhausted,
    ),
  })
  await save(database, [from, to, claim])
  expect(await figures()).toEqual({ incentives: ['1 of 5', '0 of 0', '0 of 0'], exhausted: [true, false] })
  await save(database, [{ ...claim, incentiveIndex: 1 }])
  expect(await figures()).toEqual({ incentives: ['0 of 0', '1 of 5', '0 of 0'], exhausted: [true, false] })
  await save(database, [{ ...claim, campaignId: to.id }])
  expect(await figures()).toEqual({ incentives: ['0 of 0', '0 of 0', '1 of 5'], exhausted: [false, false] })
})

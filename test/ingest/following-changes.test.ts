import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ingest, openIngest } from '../../src/ingest/batches.ts'
import type { ClaimRecord } from '../../src/ingest/records.ts'
import { createRandom } from '../setup/data/random-records.ts'
import { generateSmallSample } from '../setup/data/small-sample.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { toClaimIdentity, toLowerCase } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'
import { followChanges, newestChange, storedCopy } from '../setup/requests/following-changes.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

let database: TestDatabase
let ingest: Ingest
let apps: TestApp[]
let bases: string[]

beforeAll(async () => {
  database = await createTestDatabase()
  ingest = await openIngest(database.url)
  apps = [await startTestApp({}, database), await startTestApp({}, database)]
  bases = await Promise.all(apps.map(({ app }) => app.listen({ port: 0, host: '127.0.0.1' })))
})

afterAll(async () => {
  for (const app of apps) await app[Symbol.asyncDispose]()
  await ingest.close()
  await database[Symbol.asyncDispose]()
})

test('who is cut off at random and goes on at either process ends with the data, each change once, by streams and by polling', async () => {
  const random = createRandom(7)
  let end: string | undefined
  const { nextCursor } = (await apps[0]?.get('/changes'))?.json() ?? {}
  const following = (['stream', 'polling', 'stream', 'polling'] as const).map((way, index) =>
    followChanges({ way, bases, end: () => end, random: createRandom(index + 1) }, nextCursor),
  )
  const claims: ClaimRecord[] = []
  for (let batch = 0; batch < repeated(10, 15); batch += 1) {
    const sample = [
      ...generateSmallSample({ campaigns: 10, claims: 40, seed: batch, now: new Date() }, { isRepeated: true }),
    ]
    // Of these no change is told.
    const records = sample.filter(({ type }) => type !== 'tokenPrice' && type !== 'profile')
    const replaced = claims.filter(() => random.chance(0.1)).map((claim) => ({ ...claim, amount: `${claim.amount}1` }))
    const isReplaced = new Set(replaced.map(({ txHash, logIndex }) => `${txHash} ${logIndex}`))
    const withdrawn = claims.filter(
      (claim) => !isReplaced.has(`${claim.txHash} ${claim.logIndex}`) && random.chance(0.1),
    )
    await ingest.apply({
      records: toLowerCase([...records, ...replaced]),
      revertedClaims: withdrawn.map(toClaimIdentity),
    })
    claims.push(...toLowerCase(records).filter((record) => record.type === 'claim'))
  }
  end = await newestChange(String(bases[0]), nextCursor)
  const stored = await storedCopy(database)
  expect(stored.claims.length).toBeGreaterThan(repeated(150, 300))
  for (const copy of await Promise.all(following)) expect(copy.content()).toEqual(stored)
})

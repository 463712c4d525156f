import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createFollowedChainReader } from '../../src/database/lookups/followed-chains.ts'
import { compareSchema } from '../../src/database/schema-version.ts'
import { examineDatabase } from '../../src/doctor/run-checks.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import { randomBatches } from '../setup/data/random-batches.ts'
import { createRandom } from '../setup/data/random-records.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { repeated } from '../setup/repetitions.ts'

const BATCHES = repeated(120, 1000)
/** Another one makes other batches. */
const SEED = 21
/** Every so many. */
const EXAMINED = 10

async function findingsOf(database: TestDatabase) {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const drizzled = drizzle(client, { casing: 'snake_case' })
  try {
    const findings = await examineDatabase({
      client,
      isEmbedded: true,
      servingRole: null,
      compareSchema: () => compareSchema(drizzled),
      listChains: createFollowedChainReader(drizzled, () => new Date()),
      isComplete: true,
      statementMs: 30_000,
    })
    return findings.filter(({ state }) => state !== 'ok')
  } finally {
    await client.end()
  }
}

test(`the doctor finds nothing while and after ${BATCHES} random batches are applied (seed ${SEED})`, {
  timeout: 300_000,
}, async () => {
  await using database = await createTestDatabase()
  const ingest = await openIngest(database.url)
  let batches = 0
  const most = { claims: 0, hours: 0 }
  for (const batch of randomBatches(createRandom(SEED))) {
    await ingest.apply(batch)
    batches += 1
    if (batches % 50 === 0) await database.query('select advance_claim_windows()')
    // Not only at the end: what one batch leaves undone, another may do.
    if (batches % EXAMINED === 0) {
      expect(await findingsOf(database)).toEqual([])
      const [counts] = await database.query(
        'select (select count(*)::int from claims) as claims, (select count(*)::int from claim_hours) as hours',
      )
      most.claims = Math.max(most.claims, Number(counts?.claims))
      most.hours = Math.max(most.hours, Number(counts?.hours))
    }
    if (batches === BATCHES) break
  }
  await ingest.close()
  // Batches take campaigns back with their claims, so that few may be left just when the last one is applied.
  expect(most.claims).toBeGreaterThan(100)
  expect(most.hours).toBeGreaterThan(10)
})

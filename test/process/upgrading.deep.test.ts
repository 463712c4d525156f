import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { generateSample } from 'reward-campaigns-sample-data'
import { expect, test } from 'vitest'
import { revokeOtherRights } from '../../src/database/serving-role.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { readDuring } from '../setup/requests/reading-load.ts'
import { nextFunctions as functions, nextMigration as migration } from '../setup/servers/next-changes.ts'
import { makeNextVersion } from '../setup/servers/next-version.ts'
import { issueToken } from '../setup/tokens.ts'

/** What a service reads and writes. */
const QUERIES = [
  'select id, campaign_name, start_at, end_at from campaigns order by block_timestamp desc limit 20',
  'select type, asset, definition, remaining_budget from incentives order by campaign_key desc limit 50',
  'select count(*), sum(amount_usd) from claims where block_timestamp > extract(epoch from now()) - 3600',
  'select owner, type from allow_lists order by campaign_key limit 50',
  'select symbol, price_usd from tokens limit 50',
  "select key from campaigns where word_starts(campaign_name) @@ words_query('word')",
  'update credentials set last_used_at = now()',
]

/** What is stored besides. */
const SAMPLE = { campaigns: 10_000, claims: 30_000 }

/** How long somebody's transaction stays open after the migration has begun to wait for it. */
const OPEN_MS = 1500

test('who serves waits less than a second, while a migration and functions are applied beside an open reader and an open writer', {
  timeout: 300_000,
}, async () => {
  await using database = await createTestDatabase()
  const role = `test_${randomBytes(8).toString('hex')}`
  await database.query(`create role ${role} login password '${role}'`)
  await issueToken({ database }, { userId: 'user' })
  const campaigns = Array.from({ length: 200 }, () => aCampaign({ incentives: [anErc20Incentive(anAddress('token'))] }))
  await database.save?.(aToken(), ...campaigns, ...campaigns.map((campaign) => aClaim(campaign)))
  await importRecords(database.url, [toRecordSource('sample', generateSample({ ...SAMPLE, seed: 5, now: new Date() }))])
  await using next = await makeNextVersion({ migration, sources: functions })
  const url = Object.assign(new URL(database.url), { username: role, password: role }).href
  try {
    const [reader, writer] = [database.url, database.url].map((url) => new pg.Client(url)) as [pg.Client, pg.Client]
    await Promise.all([reader.connect(), writer.connect()])
    await revokeOtherRights(writer, role)
    // As `pg_dump` and an import hold them.
    await reader.query('begin isolation level repeatable read')
    for (const { tablename } of await database.query("select tablename from pg_tables where schemaname = 'public'")) {
      await reader.query(`lock table ${tablename} in access share mode`)
    }
    await writer.query(
      'begin; update campaigns set owner = owner; update claims set amount_usd = amount_usd; update tokens set symbol = symbol',
    )
    const seen = await readDuring(url, QUERIES, async () => {
      await using migrating = next.start(['migrate'], { DATABASE_URL: database.url })
      await sleep(OPEN_MS)
      // The index in the background waits for these without a word.
      await writer.query('commit')
      await reader.query('commit; begin; lock table tokens in access share mode')
      await migrating.said(/(waits for other transactions)/)
      await sleep(OPEN_MS)
      await reader.query('rollback')
      const { code, stdout, stderr } = await migrating.ended
      expect({ code, stdout }, stderr).toEqual({
        code: 0,
        stdout: 'the schema is current; 1 migration and 2 functions, views and triggers were applied\n',
      })
      // What was begun on the new schema belongs to it.
      await sleep(500)
    })
    await Promise.all([reader.end(), writer.end()])
    expect(seen.failures.slice(0, 3)).toEqual([])
    expect(seen.asked).toBeGreaterThan(100)
    expect(seen.slowest.ms, seen.slowest.sql).toBeLessThan(1000)
    const unreadable = await database.query(
      `select relname from pg_class where relkind in ('r', 'v') and relnamespace = 'public'::regnamespace
        and not has_table_privilege($1, oid, 'select')`,
      [role],
    )
    expect(unreadable).toEqual([])
  } finally {
    await database.query(`drop owned by ${role}; drop role ${role}`)
  }
})

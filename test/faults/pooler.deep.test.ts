import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'
import { startCli } from '../setup/servers/processes.ts'
import { hasPgbouncer, POOL_SIZE, startPgbouncer, throughPgbouncer } from './setup/pgbouncer.ts'
import { ask, countOutcomes, newQueries, pollRequest, type Seen } from './setup/readers.ts'

/** What the guide tells operators to set. */
const guide = await readFile(join(import.meta.dirname, '../../docs/guides/database-connections.md'), 'utf8')
const SETTINGS = /## PgBouncer.*?```ini\n(.*?)```/s.exec(guide)?.[1] ?? ''

describe.skipIf(!hasPgbouncer)(throughPgbouncer, () => {
  test('the service answers as it does without, however many share a session', async () => {
    await using database = await createTestDatabase()
    const token = aToken({ priceUsd: '1' })
    const campaigns = Array.from({ length: 30 }, () => aCampaign({ incentives: [anErc20Incentive(token.address)] }))
    const claims = campaigns.map((campaign) => aClaim(campaign, { amountUsd: '1' }))
    await importRecords(database.url, [toRecordSource('test records', [token, ...campaigns, ...claims])])
    await using pgbouncer = await startPgbouncer(database.url, SETTINGS)
    const settings = { PORT: '0', MAX_EVENT_LOOP_DELAY_MS: '0', RESPONSE_CACHE_MB: '0' }
    await using direct = startCli(['serve'], { DATABASE_URL: database.url, ...settings })
    await using pooled = startCli(['serve'], { DATABASE_URL: pgbouncer.url, ...settings })
    const urls = await Promise.all([direct.ready(), pooled.ready()])
    const paths = [
      ...['/campaigns', '/campaigns?sortBy=active', `/campaigns?tokens=8453:${token.address}`, '/campaigns?page=2'],
      ...campaigns.slice(0, 10).map(({ id }) => `/campaigns/${id}`),
      ...['/reward-kit/trending', '/explore/contracts', '/explore/contracts?timeRange=7d'],
    ]
    const seen: Seen[] = []
    for (let times = 0; times < 10; times += 1) {
      seen.push(...(await Promise.all(paths.map((path) => ask(urls[1], path)))))
    }
    expect(countOutcomes(seen)).toEqual({ 200: 10 * paths.length })
    for (const path of paths) {
      const { body } = await ask(urls[0], path)
      expect(new Set(seen.filter((response) => response.path === path).map((response) => response.body))).toEqual(
        new Set([body]),
      )
    }
    const sessions = await database.query(
      `select count(*)::int as "count" from pg_stat_activity
       where datname = current_database() and application_name = 'reward-campaigns'`,
    )
    // Those of the one that is connected itself are among them.
    expect(sessions[0]?.count).toBeLessThanOrEqual(POOL_SIZE + 12)
  })

  test('without the settings of the guide, the log says what is missing', async () => {
    await using database = await createTestDatabase()
    await using strict = await startPgbouncer(database.url, 'max_prepared_statements = 200')
    await using refused = startCli(['serve'], { DATABASE_URL: strict.url, PORT: '0' })
    await refused.said(/the database cannot be reached: (unsupported startup parameter)/)
    expect(await ask(await refused.address(), '/readyz')).toMatchObject({ status: 503, retryAfter: expect.any(String) })

    await using forgetful = await startPgbouncer(
      database.url,
      SETTINGS.replace(/(max_prepared_statements =) \d+/, '$1 0'),
    )
    await using broken = startCli(['serve'], { DATABASE_URL: forgetful.url, PORT: '0' })
    const url = await broken.address()
    await using readers = pollRequest(url, Array.from({ length: 10 }, newQueries))
    await broken.said(/(prepared statement \\"\w+\\" does not exist)/)
    await expect.poll(() => readers.seen.some(({ status }) => status === 500)).toBe(true)
  })
})

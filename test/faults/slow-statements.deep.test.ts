import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { createTestDatabase, lockCampaigns } from '../setup/database.ts'
import { aCampaign } from '../setup/records.ts'
import { startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'
import { ask, pollRequest, STALE } from './setup/readers.ts'

const STATEMENT_TIMEOUT_MS = 1000

test('while a table is locked, kept answers go on and all else is 503 once its time is over', async () => {
  await using database = await createTestDatabase()
  await importRecords(database.url, [toRecordSource('test records', [aCampaign()])])
  await using service = startCli(['serve'], {
    ...{ DATABASE_URL: database.url, PORT: '0', MAX_EVENT_LOOP_DELAY_MS: '0' },
    STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
  })
  const url = await service.ready()
  await using readers = pollRequest(url, ['/campaigns', '/reward-kit/trending'])
  await waitFor(() => (readers.seen.length > 10 ? true : undefined))

  await using lock = await lockCampaigns(database.url)
  const lockedAt = performance.now()
  const slow = await ask(url, '/campaigns?search=x')
  expect(slow).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[1-9]/) })
  expect(performance.now() - lockedAt).toBeGreaterThan(STATEMENT_TIMEOUT_MS)
  expect(performance.now() - lockedAt).toBeLessThan(STATEMENT_TIMEOUT_MS + 3000)
  // Nothing has changed: it is still right.
  expect(await ask(url, '/campaigns')).toMatchObject({ status: 200, cacheStatus: null })
  // Its window has moved on, so it would have to be made again.
  await waitFor(() => readers.seen.find(({ cacheStatus }) => cacheStatus === STALE))
  expect((await ask(url, '/readyz')).status).toBe(200)

  await lock.release()
  const releasedAt = performance.now()
  await waitFor(async () => ((await ask(url, '/campaigns?search=x')).status === 200 ? true : undefined))
  expect(performance.now() - releasedAt).toBeLessThan(1000)
  await readers.stop()
  expect(readers.seen.filter(({ status }) => status !== 200)).toEqual([])
})

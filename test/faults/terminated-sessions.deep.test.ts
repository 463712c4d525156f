import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase, lockCampaigns, type TestDatabase } from '../setup/database.ts'
import { aCampaign } from '../setup/records.ts'
import { startCli } from '../setup/servers/processes.ts'
import { startTestApp } from '../setup/test-app.ts'
import { waitFor } from '../setup/wait-for.ts'
import { openDoomedSessions } from './setup/doomed-sessions.ts'
import { ask, countOutcomes, newQueries, pollRequest } from './setup/readers.ts'

/** Ends sessions of the service, as administrators and failovers do (SQLSTATE 57P01); returns how many. */
async function terminate(database: TestDatabase, which = 'true') {
  const ended = await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'reward-campaigns' and ${which}`,
  )
  return ended.length
}

const WAITING = "wait_event_type = 'Lock'"

test('a question whose session is terminated is asked again, on another one', async () => {
  await using api = await startTestApp()
  await api.save(aCampaign())
  await using lock = await lockCampaigns(api.database.url)
  const asked = api.get('/campaigns')
  await waitFor(async () => ((await terminate(api.database, WAITING)) > 0 ? true : undefined))
  await lock.release()
  expect((await asked).json()).toMatchObject({ totalCampaigns: 1 })
})

test('a question whose sessions are terminated again and again is 503', async () => {
  await using api = await startTestApp()
  await using _lock = await lockCampaigns(api.database.url)
  const asked = api.get('/campaigns')
  let isAnswered = false
  void asked.then(() => {
    isAnswered = true
  })
  await waitFor(async () => {
    await terminate(api.database, WAITING)
    return isAnswered ? true : undefined
  })
  expect(await asked).toMatchObject({ statusCode: 503, headers: { 'retry-after': expect.any(String) } })
})

test('a session that is terminated as soon as it is there does not end the service, nor fail the question', async () => {
  await using database = await createTestDatabase()
  // All that are made at the start: both ways to the database, and one of the next.
  await using doomed = await openDoomedSessions(database.url, 3)
  await using service = startCli(['serve'], { DATABASE_URL: doomed.url, PORT: '0', MAX_EVENT_LOOP_DELAY_MS: '0' })
  const url = await service.ready()
  expect((await ask(url, '/campaigns')).status).toBe(200)
  expect(doomed.left).toBe(0)
  service.child.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 0 })
})

test('under load, nobody notices that all sessions of the service are terminated', async () => {
  await using database = await createTestDatabase()
  await using service = startCli(['serve'], { DATABASE_URL: database.url, PORT: '0', MAX_EVENT_LOOP_DELAY_MS: '0' })
  const url = await service.ready()
  const strange = newQueries()
  await using readers = pollRequest(url, ['/campaigns', '/explore/contracts', strange, strange, strange, strange])
  let ended = 0
  for (let times = 0; times < 6 || readers.seen.length <= 50; times += 1) {
    await sleep(500)
    ended += await terminate(database)
  }
  await readers.stop()
  expect(ended).toBeGreaterThan(6)
  const { 200: fresh = 0, '200 old': old = 0, ...others } = countOutcomes(readers.seen)
  expect(others).toEqual({})
  expect(fresh).toBeGreaterThan(old)
})

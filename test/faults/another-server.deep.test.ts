import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { aCampaign } from '../setup/records.ts'
import { startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'
import { startOwnServer } from './setup/own-server.ts'
import { countOutcomes, pollRequest, type Seen } from './setup/readers.ts'

const idsIn = ({ body }: Seen): string[] =>
  JSON.parse(body)
    .campaigns.map(({ id }: { id: string }) => id)
    .sort()

/*
 * A failover to a server that has not seen all, or an older backup, at the address of the one before. Revisions begin to
 * be given again there: what is kept of the one must not be taken for what is right on the other.
 */
test('a second after another server has taken the place of one, all answers are of its history', async () => {
  const [shared, lost, other] = [aCampaign(), aCampaign(), aCampaign()]
  await using first = await startOwnServer()
  await first.save(shared)
  await first.stop()
  await using second = await first.copy()
  await first.start()
  await first.save(lost)
  await using service = startCli(['serve'], { DATABASE_URL: first.url, PORT: '0', MAX_EVENT_LOOP_DELAY_MS: '0' })
  const url = await service.ready()
  await using readers = pollRequest(url, ['/campaigns', '/campaigns?sortBy=active', '/explore/contracts'])
  const lists = () => readers.seen.filter(({ path }) => path.startsWith('/campaigns'))
  /** More than ten responses to requests that began later. */
  const someAfter = (startedAt: number) =>
    waitFor(() => {
      const some = lists().filter(({ at }) => at > startedAt)
      return some.length > 10 ? some : undefined
    })
  await waitFor(() => (lists().length > 20 ? true : undefined))
  expect(lists().map(idsIn)).toEqual(lists().map(() => [lost.id, shared.id].sort()))

  await first.kill()
  await sleep(500)
  await second.start()
  const startedAt = performance.now()
  const behind = await someAfter(startedAt + 1000)
  expect(behind.map(idsIn)).toEqual(behind.map(() => [shared.id]))

  // Now the revision has the number again that it had on the first.
  await second.save(other)
  const savedAt = performance.now()
  const abreast = await someAfter(savedAt)
  await readers.stop()
  expect(abreast.map(idsIn)).toEqual(abreast.map(() => [other.id, shared.id].sort()))
  const { 200: fresh, '200 old': old, ...others } = countOutcomes(readers.seen)
  expect(others).toEqual({})
  expect(fresh).toBeGreaterThan(0)
  expect(old).toBeGreaterThan(0)
})

import pg from 'pg'
import { expect, test } from 'vitest'
import { aCampaign } from '../setup/records.ts'
import { startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'
import { type OwnServer, startOwnServer } from './setup/own-server.ts'
import { ask, countOutcomes, newQueries, pollRequest, STALE } from './setup/readers.ts'

const MAX_CONNECTIONS = 25

/** Another client of the server, which takes every connection there is, and those of the service when they end. */
async function takeAllConnections(server: OwnServer) {
  const taken: pg.Client[] = []
  const take = async () => {
    const client = new pg.Client({ connectionString: server.url, application_name: 'greedy' })
    client.on('error', () => undefined)
    await client.connect()
    taken.push(client)
  }
  await take()
  await waitFor(async () => {
    // Five of them at once, for the service tries as well.
    const taking = await Promise.allSettled(Array.from({ length: 5 }, take))
    if (taking.some(({ status }) => status === 'fulfilled')) return undefined
    // Also those that are only about to say who they are.
    const ended = await taken[0]?.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
      where backend_type = 'client backend' and application_name is distinct from 'greedy'`,
    )
    return ended?.rowCount === 0 ? true : undefined
  })
  const release = async () => void (await Promise.all(taken.splice(0).map((client) => client.end())))
  return { release, [Symbol.asyncDispose]: release }
}

test('while others have all connections, what was asked before goes on, the rest is 503, and the service lives', async () => {
  await using server = await startOwnServer({ max_connections: String(MAX_CONNECTIONS) })
  await server.save(aCampaign())
  await using service = startCli(['serve'], { DATABASE_URL: server.url, PORT: '0', MAX_EVENT_LOOP_DELAY_MS: '0' })
  const url = await service.ready()
  await using readers = pollRequest(url, ['/campaigns', '/explore/contracts'])
  await waitFor(() => (readers.seen.length > 10 ? true : undefined))

  await using others = await takeAllConnections(server)
  await using strangers = pollRequest(url, [newQueries()])
  await waitFor(() => (strangers.seen.length > 20 ? true : undefined))
  expect(await ask(url, '/campaigns')).toMatchObject({ status: 200, cacheStatus: STALE })
  expect((await ask(url, '/readyz')).status).toBe(503)
  expect((await ask(url, '/livez')).status).toBe(200)
  await strangers.stop()
  expect(countOutcomes(strangers.seen)).toEqual({ 503: strangers.seen.length })
  for (const { retryAfter } of strangers.seen) expect(retryAfter).toMatch(/^[1-9]/)
  // The reason, for anyone who reads the log.
  const reasons = service.stdout.split('\n').filter((line) => /"msg":"request rejected with 503"/.test(line))
  expect(reasons.at(-1)).toContain('"reason":"sorry, too many clients already"')

  await others.release()
  const freeAt = performance.now()
  // The server lets go of each a moment after its client.
  for (const path of ['/readyz', '/campaigns', '/campaigns?pageSize=7']) {
    await waitFor(async () => {
      const { status, cacheStatus } = await ask(url, path)
      return status === 200 && cacheStatus === null ? true : undefined
    })
  }
  expect(performance.now() - freeAt).toBeLessThan(1000)
  await readers.stop()
  expect(readers.seen.filter(({ status }) => status !== 200)).toEqual([])
  service.child.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
})

import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { createTestDatabase, lockCampaigns } from '../setup/database.ts'
import { aCampaign } from '../setup/records.ts'
import { startCli } from '../setup/servers/processes.ts'
import { collect, parse } from '../setup/servers/sockets.ts'
import { startTestApp } from '../setup/test-app.ts'
import { waitFor } from '../setup/wait-for.ts'
import { tryRequest } from './setup/readers.ts'

const CAMPAIGNS = 50
const PAGES = 20

/** All different, so that each is a question of its own. */
const paths = Array.from({ length: PAGES }, (_, page) =>
  Array.from({ length: CAMPAIGNS }, (_, size) => `/campaigns?search=found&pageSize=${size + 1}&page=${page + 1}`),
)

/** Sends a request on a connection of its own; resolves once it is sent. */
async function send(port: string, path: string, localAddress: string) {
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress })
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  const text = collect(socket)
  // It waits for all the others.
  socket.setTimeout(0)
  return { socket, path, text }
}

test('a thousand requests that are under way when a service is asked to end are answered, each whole', async () => {
  await using database = await createTestDatabase()
  const campaigns = Array.from({ length: CAMPAIGNS }, () => aCampaign({ campaignName: 'Found' }))
  await importRecords(database.url, [toRecordSource('test records', campaigns)])
  const settings = {
    ...{ DATABASE_URL: database.url, PORT: '0', MAX_EVENT_LOOP_DELAY_MS: '0' },
    // Responses are made, not cached.
    RESPONSE_CACHE_MB: '0',
    // Longer than the test takes to send them all on a busy machine.
    ...{ DATABASE_ACQUIRE_TIMEOUT_MS: '30000', STATEMENT_TIMEOUT_MS: '30000', SHUTDOWN_TIMEOUT_SECONDS: '60' },
  }
  const expected = new Map<string, string>()
  {
    await using other = await startTestApp({ RESPONSE_CACHE_MB: '0' }, database)
    for (const path of paths.flat()) expected.set(path, (await other.get(path)).body)
  }
  expect(new Set(expected.values()).size).toBeGreaterThan(CAMPAIGNS)

  await using service = startCli(['serve'], settings)
  const url = await service.ready()
  const { port } = new URL(url)
  await using lock = await lockCampaigns(database.url, 'tokens')
  const sent = []
  // Not more at once than the system lets wait at a listener, and of no address more than its share.
  for (const [index, wave] of paths.entries()) {
    sent.push(...(await Promise.all(wave.map((path) => send(port, path, `127.0.1.${index + 1}`)))))
  }
  expect(sent).toHaveLength(1000)
  service.child.kill('SIGTERM')
  // It has closed its listener.
  await waitFor(async () => ((await tryRequest(url, '/livez')).status === 0 ? true : undefined))
  const early = sent.filter(({ socket }) => socket.bytesRead > 0 || socket.destroyed)
  expect(early.map(({ path }) => path)).toEqual([])
  await lock.release()

  const responses = await Promise.all(sent.map(async ({ path, text }) => ({ path, ...parse(await text) })))
  for (const { path, status, headers, body } of responses) {
    expect({ path, status, body }).toEqual({ path, status: 200, body: expected.get(path) })
    expect(headers.connection).toBe('close')
  }
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
})

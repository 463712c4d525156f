import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { startCli } from '../setup/servers/processes.ts'
import { collect, parse } from '../setup/servers/sockets.ts'
import { waitFor } from '../setup/wait-for.ts'

/** Whatever comes of a request on a connection of its own: a status, or what went wrong. */
const ask = (url: string) =>
  new Promise<number | string>((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
      response.once('error', (error) => resolve(error.message))
    }).once('error', (error) => resolve(error.message))
  })

test('while it drains a service is not ready, answers all the same, and keeps no connection', async () => {
  await using database = await createTestDatabase()
  const settings = { DATABASE_URL: database.url, PORT: '0', DRAIN_SECONDS: '4' }
  await using service = startCli(['serve'], settings)
  const url = await service.ready()
  expect((await fetch(`${url}/campaigns`)).headers.get('connection')).toBe('keep-alive')
  const since = performance.now()
  service.child.kill('SIGTERM')
  await waitFor(async () => ((await ask(`${url}/readyz`)) === 503 ? true : undefined))
  expect(await (await fetch(`${url}/readyz`)).text()).toContain('shutting down')
  const response = await fetch(`${url}/campaigns`)
  expect(response.status).toBe(200)
  expect(response.headers.get('connection')).toBe('close')
  expect((await fetch(`${url}/livez`)).status).toBe(200)
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
  expect(performance.now() - since).toBeGreaterThan(3900)
  expect(await ask(`${url}/livez`)).toMatch(/ECONNREFUSED/)
})

test('connections that the system has accepted when a service is asked to end are served', async () => {
  await using database = await createTestDatabase()
  await using service = startCli(['serve'], { DATABASE_URL: database.url, PORT: '0' })
  const { port } = new URL(await service.ready())
  service.child.kill('SIGSTOP')
  const responses = []
  for (let count = 0; count < 20; count++) {
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    responses.push(collect(socket))
    socket.write('GET /campaigns HTTP/1.1\r\nhost: localhost\r\n\r\n')
  }
  await sleep(100)
  service.child.kill('SIGTERM')
  service.child.kill('SIGCONT')
  const statuses = (await Promise.all(responses)).map((text) => parse(text).status)
  expect(statuses).toEqual(statuses.map(() => 200))
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
})

import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { type NodeProcess, startCli, waitFor } from '../setup/processes.ts'
import { collect, parse } from '../setup/sockets.ts'

/** How often it is asked whether a process is ready, as balancers do. */
const PROBE_MS = 500

/** Whatever comes of a request on a connection of its own: a status, or what went wrong. */
const ask = (url: string) =>
  new Promise<number | string>((resolve) => {
    get(url, { agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
      answer.once('error', (error) => resolve(error.message))
    }).once('error', (error) => resolve(error.message))
  })

/** Hands requests to those processes in turn that were ready when they were last asked. */
class Balancer implements Disposable {
  readonly #backends: { url: string; isReady: boolean; probing: NodeJS.Timeout }[] = []
  #turn = 0

  async add(service: NodeProcess) {
    const url = await service.ready()
    const probe = async () => {
      backend.isReady = (await ask(`${url}/readyz`)) === 200
    }
    const backend = { url, isReady: false, probing: setInterval(() => void probe(), PROBE_MS) }
    this.#backends.push(backend)
    await waitFor(() => (backend.isReady ? true : undefined))
  }

  ask(path: string) {
    const ready = this.#backends.filter(({ isReady }) => isReady)
    this.#turn += 1
    const backend = ready[this.#turn % ready.length]
    return backend === undefined ? Promise.resolve('no process is ready') : ask(backend.url + path)
  }

  [Symbol.dispose]() {
    for (const { probing } of this.#backends) clearInterval(probing)
  }
}

test('a restart of two processes, one after the other, loses no request', { timeout: 180_000 }, async () => {
  await using database = await createTestDatabase()
  const settings = { DATABASE_URL: database.url, PORT: '0', DRAIN_SECONDS: '3' }
  const start = () => startCli(['serve'], settings)
  using balancer = new Balancer()
  await using first = start()
  await using second = start()
  await balancer.add(first)
  await balancer.add(second)

  const outcomes = new Map<number | string, number>()
  let isOver = false
  const load = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const outcome = await balancer.ask('/campaigns?pageSize=1')
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  })
  await using firstAgain = start()
  await using secondAgain = start()
  for (const [old, fresh] of [
    [first, firstAgain],
    [second, secondAgain],
  ] as const) {
    await balancer.add(fresh)
    old.child.kill('SIGTERM')
    expect(await old.ended).toMatchObject({ code: 0, signal: null })
  }
  isOver = true
  await Promise.all(load)
  expect([...outcomes.keys()]).toEqual([200])
  expect(outcomes.get(200)).toBeGreaterThan(100)
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
  const answer = await fetch(`${url}/campaigns`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('connection')).toBe('close')
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
  const answers = []
  for (let count = 0; count < 20; count++) {
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    answers.push(collect(socket))
    socket.write('GET /campaigns HTTP/1.1\r\nhost: localhost\r\n\r\n')
  }
  await sleep(100)
  service.child.kill('SIGTERM')
  service.child.kill('SIGCONT')
  const statuses = (await Promise.all(answers)).map((text) => parse(text).status)
  expect(statuses).toEqual(statuses.map(() => 200))
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
})

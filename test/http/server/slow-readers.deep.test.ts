import { Agent, get } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestDatabase } from '../../setup/database.ts'
import { createLargeDetails, neglect, OTHER } from '../../setup/requests/neglected-responses.ts'
import { isMemoryReported, watchMemory } from '../../setup/servers/memory.ts'
import { CLI, NodeProcess } from '../../setup/servers/processes.ts'
import { listen } from '../../setup/servers/sockets.ts'
import { startTestApp } from '../../setup/test-app.ts'
import { waitFor } from '../../setup/wait-for.ts'

let database: TestDatabase
let details: string[]

beforeAll(async () => {
  ;({ database, details } = await createLargeDetails({ campaigns: 3, megabytes: 31 }))
})
afterAll(() => database[Symbol.asyncDispose]())

function sendOnce(port: number, path: string) {
  const agent = new Agent({ localAddress: OTHER })
  return new Promise<number | undefined>((resolve) => {
    get({ port, host: '127.0.0.1', path, agent }, (response) =>
      response.resume().once('close', () => resolve(response.complete ? response.statusCode : undefined)),
    ).once('error', () => resolve(undefined))
  }).finally(() => agent.destroy())
}

test.concurrent('200 slow readers of one address take nothing from others, and little memory', {
  timeout: 180_000,
}, async () => {
  await using service = new NodeProcess([CLI, 'serve'], { DATABASE_URL: database.url, PORT: '0' })
  const port = Number(new URL(await service.ready()).port)
  const memory = watchMemory(service.child)
  const paths = ['/openapi.json', details[0], '/openapi.json', ...details.slice(1)].map(String)
  const slow = Array.from({ length: 200 }, (_, index) => neglect(port, paths[index % paths.length] ?? ''))
  try {
    const others = ['/campaigns', '/livez', '/readyz', '/explore/contracts', '/openapi.json', '/campaigns?page=']
    /** The 99th percentile of each five seconds. */
    const slowest: number[] = []
    // Five are enough on a quiet machine.
    for (let window = 0; window < 5 || (window < 8 && Math.min(...slowest) >= 250); window += 1) {
      const times: number[] = []
      for (const endsAt = Date.now() + 5000; Date.now() < endsAt; await sleep(20)) {
        const path = others[times.length % others.length] ?? ''
        const start = performance.now()
        const status = await sendOnce(port, path.endsWith('=') ? path + times.length : path)
        expect(status, path).toBe(200)
        times.push(performance.now() - start)
      }
      slowest.push(times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? Number.NaN)
    }
    // Where the machine is busy, not each of them says something of the service.
    expect(Math.min(...slowest)).toBeLessThan(250)
    if (isMemoryReported) expect(memory.megabytes).toBeLessThan(400)
  } finally {
    for (const socket of slow) socket.destroy()
  }
  await waitFor(async () => ((await sendOnce(port, details[0] ?? '')) === 200 ? true : undefined))
})

test.concurrent('a response that is not read is given up, one that is read slowly is not', {
  timeout: 120_000,
}, async () => {
  await using api = await startTestApp({}, database)
  const [path = ''] = details
  const port = await listen(api.app)
  const countConnections = () => new Promise((resolve) => api.app.server.getConnections((_, count) => resolve(count)))
  const neglected = neglect(port, path)
  const reader = neglect(port, path)
  const reading = setInterval(() => readSome(reader), 100)
  try {
    const start = performance.now()
    await waitFor(async () => ((await countConnections()) === 2 ? true : undefined))
    // Half a minute after the last that it has read, which a busy machine sends late.
    await waitFor(async () => ((await countConnections()) === 1 ? true : undefined), 80_000)
    expect(performance.now() - start).toBeGreaterThan(29_000)
    await sleep(5000)
    expect(await countConnections()).toBe(1)
    expect(reader.closed).toBe(false)
  } finally {
    clearInterval(reading)
    for (const socket of [neglected, reader]) socket.destroy()
  }
})

/** At most 16 kilobytes: 160 a second. */
function readSome(socket: Socket) {
  socket.read(Math.min(socket.readableLength, 16_384))
}

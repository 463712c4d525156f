import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../setup/database.ts'
import { CLI, NodeProcess } from '../../setup/servers/processes.ts'
import { waitFor } from '../../setup/wait-for.ts'

/*
 * A service that may open few files, as systems and containers allow them.
 */

test('more clients than the process has file descriptors do not end it, and do not take it from those it has', async () => {
  await using database = await createTestDatabase()
  await using service = new NodeProcess(
    [CLI, 'serve'],
    { DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'info' },
    { maxOpenFiles: 256 },
  )
  const address = await service.ready()
  const port = Number(new URL(address).port)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const statusOf = (path: string, options: { agent?: Agent } = {}) =>
    new Promise<number | undefined>((resolve) => {
      get(`${address}${path}`, options, (response) =>
        response.resume().on('end', () => resolve(response.statusCode)),
      ).on('error', () => resolve(undefined))
    })
  const isServing = async () => ((await statusOf('/campaigns')) === 200 ? true : undefined)
  const clients: Socket[] = []
  const crowd = async (says: string) => {
    for (let count = 0; count < 300; count += 1) {
      const client = connect({ host: '127.0.0.1', port, allowHalfOpen: true }).on('error', () => undefined)
      clients.push(client)
      await Promise.race([once(client, 'connect'), once(client, 'close')])
      if (says !== '') client.write(says)
    }
  }
  try {
    expect(await statusOf('/campaigns', { agent })).toBe(200)
    await crowd('X\r\n\r\n')
    await sleep(2500)
    await waitFor(isServing)
    await crowd('')
    await sleep(2500)
    for (const path of ['/livez', '/campaigns?page=2', '/campaigns?page=3']) {
      expect(await statusOf(path, { agent }), path).toBe(200)
    }
  } finally {
    for (const client of clients) client.destroy()
    agent.destroy()
  }
  await waitFor(isServing)
  service.child.kill('SIGTERM')
  expect((await service.ended).code).toBe(0)
})

import { Agent, get } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestDatabase } from '../../setup/database.ts'
import { createLargeDetails, neglect, OTHER, SLOW } from '../../setup/requests/neglected-responses.ts'
import { listen } from '../../setup/servers/sockets.ts'
import { startTestApp } from '../../setup/test-app.ts'
import { waitFor } from '../../setup/wait-for.ts'

let database: TestDatabase
let details: string[]

beforeAll(async () => {
  ;({ database, details } = await createLargeDetails({ campaigns: 2, megabytes: 17 }))
})
afterAll(() => database[Symbol.asyncDispose]())

test('an address that has 32 MB of responses to read gets no further one, and others do', async () => {
  await using api = await startTestApp({}, database)
  const [first = '', second = ''] = details
  const port = await listen(api.app)
  const slow = [neglect(port, first), neglect(port, second)]
  const statusFrom = async (localAddress: string) => {
    const agent = new Agent({ localAddress })
    return new Promise((resolve) =>
      get({ port, host: '127.0.0.1', path: '/limits', agent }, (response) => resolve(response.resume().statusCode)),
    ).finally(() => agent.destroy())
  }
  await waitFor(async () => ((await statusFrom(SLOW)) === 429 ? true : undefined))
  expect(await statusFrom(OTHER)).toBe(200)
  for (const socket of slow) socket.destroy()
  await waitFor(async () => ((await statusFrom(SLOW)) === 200 ? true : undefined))
})

import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aCampaign, anAddress, aProfile } from '../../setup/records.ts'
import { listen } from '../../setup/servers/sockets.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'
import { issueToken } from '../../setup/tokens.ts'

/*
 * Clients that reset their connections at any moment of a request.
 */

const ROUNDS = 1000
const AT_ONCE = 10
const MAX_DELAY_MS = 20

const user = anAddress('user')
const campaign = aCampaign()
let api: TestApp
let port: number

beforeAll(async () => {
  api = await startTestApp({
    REQUESTS_PER_MINUTE: '1000000',
    FAILED_AUTH_PER_MINUTE: '1000000',
    // Whose addresses are found by another way than those of clients themselves.
    TRUSTED_PROXIES: '192.0.2.1',
  })
  await api.save(campaign, aProfile({ userAddress: user }))
  port = await listen(api.app)
})
afterAll(() => api[Symbol.asyncDispose]())

async function sendAndReset(path: string, header: string, delayMs: number) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined).resume()
  await new Promise((resolve) => socket.once('connect', resolve))
  await new Promise((resolve) => socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${header}\r\n`, resolve))
  if (delayMs > 0) await sleep(delayMs)
  socket.resetAndDestroy()
}

test('a client that resets its connection is no defect, at any operation, with any token, at any moment', async () => {
  const document = (await api.get('/openapi.json')).json()
  const paths = [...Object.keys(document.paths), '/openapi.json', '/', '/nothing'].map((path) =>
    path.replace('{campaignId}', campaign.id).replace('{id}', campaign.id),
  )
  const secret = await issueToken(api, { address: user })
  const headers = ['', 'authorization: Bearer x\r\n', `authorization: Bearer ${secret}\r\n`]
  const forms = paths.flatMap((path) => headers.map((header) => ({ path, header })))
  let round = 0
  async function work() {
    while (round < ROUNDS) {
      const { path, header } = forms[round % forms.length] ?? { path: '/', header: '' }
      // Most go at once: that is when the address is not known any more by the time it is asked for.
      const delayMs = Math.floor(round / forms.length) % 2 === 0 ? 0 : round % (MAX_DELAY_MS + 1)
      round += 1
      await sendAndReset(path, header, delayMs)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  await sleep(500)
  expect(api.defects).toEqual([])
  expect((await api.get('/campaigns')).statusCode).toBe(200)
})

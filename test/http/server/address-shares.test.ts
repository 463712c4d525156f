import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lockCampaigns } from '../../setup/database.ts'
import { collect, listen, parse } from '../../setup/servers/sockets.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'
import { waitFor } from '../../setup/wait-for.ts'

/*
 * What one address may use of the service, and what is left to others. Addresses of loopback stand for clients.
 */

const [CLIENT, OTHER, PROXY] = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
/** The least share of an address, and a limit of which that is a tenth. */
const [SHARE, LIMIT] = [64, '640']

let port: number
let sockets: Socket[] = []

beforeEach(() => {
  sockets = []
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
})

/** A connection from an address, once the service has it. */
async function open(localAddress: string, to = port) {
  const socket = connect({ port: to, host: '127.0.0.1', localAddress }).on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

async function openMany(localAddress: string, count: number) {
  const opened = []
  for (let index = 0; index < count; index += 1) opened.push(await open(localAddress))
  return opened
}

const toRequest = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`

async function ask(localAddress: string, path: string, headers = '') {
  const socket = await open(localAddress)
  const received = collect(socket)
  socket.write(toRequest(path, `connection: close\r\n${headers}`))
  return parse(await received)
}

const isClosed = (socket: Socket) => waitFor(() => (socket.resume().closed ? true : undefined))

/** Once the service has as many connections. */
const untilConnected = (api: TestApp, count: number) =>
  waitFor(
    () =>
      new Promise<true | undefined>((resolve) =>
        api.app.server.getConnections((_error, connected) => resolve(connected === count ? true : undefined)),
      ),
  )

/** Has pages asked for that wait for a lock, each on a connection of its own. */
async function holdRequests(localAddress: string, count: number, toHeaders: (index: number) => string = () => '') {
  const held = await openMany(localAddress, count)
  const responses = held.map((socket, index) => {
    const received = collect(socket)
    socket.write(toRequest(`/campaigns?search=x&page=${index + 1}`, `connection: close\r\n${toHeaders(index)}`))
    return received.then((text) => parse(text).status)
  })
  // Whoever asks now comes behind them.
  expect((await ask(localAddress, '/livez')).status).toBe(200)
  return responses
}

describe('connections', () => {
  test('of an address are a tenth of all; with more, the longest idle one is closed, and others are served', async () => {
    await using api = await startTestApp({ MAX_CONNECTIONS: LIMIT })
    port = await listen(api.app)
    const [first, second, ...rest] = await openMany(CLIENT, SHARE)
    await untilConnected(api, SHARE)
    first?.write(toRequest('/livez'))
    if (first !== undefined) await once(first, 'data')
    const newest = await open(CLIENT)
    if (second !== undefined) await isClosed(second)
    newest.write(toRequest('/campaigns'))
    expect(String((await once(newest, 'data'))[0])).toContain('HTTP/1.1 200')
    expect([first, ...rest].filter((socket) => socket?.closed)).toEqual([])
    expect((await ask(OTHER, '/campaigns')).status).toBe(200)
    await untilConnected(api, SHARE)
  })

  test('of an address that has no idle one are closed at once, and others are served', async () => {
    await using api = await startTestApp({ MAX_CONNECTIONS: LIMIT, ADDRESS_SHARE_PERCENT: '1' })
    port = await listen(api.app)
    await using lock = await lockCampaigns(api.database.url, 'tokens')
    const held = await holdRequests(CLIENT, SHARE - 1)
    const last = await open(CLIENT)
    last.write(toRequest('/campaigns?search=x&page=99'))
    await untilConnected(api, SHARE)
    await waitFor(async () => ((await ask(OTHER, '/livez')).status === 200 ? true : undefined))
    await isClosed(await open(CLIENT))
    expect((await ask(OTHER, '/limits')).status).toBe(200)
    await lock.release()
    expect(new Set(await Promise.all(held))).toEqual(new Set([200]))
  })

  test('of a proxy that is trusted have no share', async () => {
    await using api = await startTestApp({ MAX_CONNECTIONS: LIMIT, TRUSTED_PROXIES: PROXY })
    port = await listen(api.app)
    const opened = await openMany(PROXY, SHARE + 10)
    await untilConnected(api, SHARE + 10)
    expect((await ask(PROXY, '/limits', `x-forwarded-for: 192.0.2.1\r\n`)).status).toBe(200)
    expect(opened.filter(({ closed }) => closed)).toEqual([])
  })

  test('of all together are limited: the longest idle one makes place, whosever it is', async () => {
    await using api = await startTestApp({ MAX_CONNECTIONS: '20' })
    port = await listen(api.app)
    const [first, ...rest] = await openMany(CLIENT, 20)
    await untilConnected(api, 20)
    expect((await ask(OTHER, '/campaigns')).status).toBe(200)
    if (first !== undefined) await isClosed(first)
    expect(rest.filter(({ closed }) => closed)).toEqual([])
  })

  test('beyond all that are busy are for probes alone', async () => {
    await using api = await startTestApp({ MAX_CONNECTIONS: '20' })
    port = await listen(api.app)
    await using lock = await lockCampaigns(api.database.url, 'tokens')
    const opened = await openMany(CLIENT, 20)
    for (const [index, socket] of opened.entries()) {
      socket.write(toRequest('/livez') + toRequest(`/campaigns?search=x&page=${index}`))
      // What comes after it has begun, then.
      await once(socket, 'data')
    }
    expect((await ask(OTHER, '/campaigns')).body).toContain('overloaded')
    for (const path of ['/livez', '/readyz']) {
      const socket = await open(OTHER)
      const received = collect(socket)
      socket.write(toRequest(path))
      expect(parse(await received), path).toMatchObject({ status: 200, headers: { connection: 'close' } })
    }
    expect(opened.filter(({ closed }) => closed)).toEqual([])
    await lock.release()
    await waitFor(async () => ((await ask(OTHER, '/campaigns')).status === 200 ? true : undefined))
  })
})

describe('requests', () => {
  const REFUSED = '{"error":"too many requests from this address at the same time, try again shortly"}'

  test('of an address are a tenth of those under way; more are 429, except probes, and others are answered', async () => {
    await using api = await startTestApp({ MAX_CONCURRENT_REQUESTS: LIMIT })
    port = await listen(api.app)
    await using lock = await lockCampaigns(api.database.url, 'tokens')
    const held = await holdRequests(CLIENT, SHARE)
    const refused = await ask(CLIENT, '/limits')
    expect(refused).toMatchObject({ status: 429, body: REFUSED, headers: { 'retry-after': '2' } })
    for (const path of ['/livez', '/readyz']) expect((await ask(CLIENT, path)).status, path).toBe(200)
    expect((await ask(OTHER, '/limits')).status).toBe(200)
    await lock.release()
    expect(await Promise.all(held)).toEqual(held.map(() => 200))
    expect((await ask(CLIENT, '/limits')).status).toBe(200)
  })

  test('count for the client that a trusted proxy names, an IPv6 one with its /64', async () => {
    await using api = await startTestApp({ MAX_CONCURRENT_REQUESTS: LIMIT, TRUSTED_PROXIES: PROXY })
    port = await listen(api.app)
    await using lock = await lockCampaigns(api.database.url, 'tokens')
    const held = await holdRequests(PROXY, SHARE, (index) => `x-forwarded-for: 2001:db8:0:1::${index + 1}\r\n`)
    const statusFor = async (client: string) => (await ask(PROXY, '/limits', `x-forwarded-for: ${client}\r\n`)).status
    expect(await statusFor('2001:db8:0:1::ffff')).toBe(429)
    expect(await statusFor('2001:db8:0:2::1')).toBe(200)
    expect(await statusFor('192.0.2.1')).toBe(200)
    await lock.release()
    expect(await Promise.all(held)).toEqual(held.map(() => 200))
    expect(await statusFor('2001:db8:0:1::ffff')).toBe(200)
  })

  test('count for the client that a trusted proxy names also after the end of a stream of the same client', async () => {
    await using api = await startTestApp({ MAX_CONCURRENT_REQUESTS: LIMIT, TRUSTED_PROXIES: PROXY })
    port = await listen(api.app)
    const named = 'x-forwarded-for: 192.0.2.1\r\n'
    const stream = await open(PROXY)
    stream.write(toRequest('/changes', `accept: text/event-stream\r\n${named}`))
    await once(stream, 'data')
    expect((await ask(PROXY, '/limits', named)).status).toBe(200)
    await using lock = await lockCampaigns(api.database.url, 'tokens')
    const held = await holdRequests(PROXY, SHARE, () => named)
    stream.destroy()
    await waitFor(() => api.counts.streams() === 0 || undefined)
    expect((await ask(PROXY, '/limits', named)).status).toBe(429)
    await lock.release()
    expect(await Promise.all(held)).toEqual(held.map(() => 200))
  })

  test('of this machine have all of those under way', async () => {
    await using api = await startTestApp({ MAX_CONCURRENT_REQUESTS: LIMIT })
    port = await listen(api.app)
    await using lock = await lockCampaigns(api.database.url, 'tokens')
    const held = await holdRequests('127.0.0.1', SHARE + 1)
    await lock.release()
    expect(await Promise.all(held)).toEqual(held.map(() => 200))
  })

  test('have no share where it is all', async () => {
    await using api = await startTestApp({ MAX_CONCURRENT_REQUESTS: LIMIT, ADDRESS_SHARE_PERCENT: '100' })
    port = await listen(api.app)
    await using lock = await lockCampaigns(api.database.url, 'tokens')
    const held = await holdRequests(CLIENT, SHARE + 1)
    expect((await ask(CLIENT, '/limits')).status).toBe(200)
    await lock.release()
    expect(await Promise.all(held)).toEqual(held.map(() => 200))
  })
})

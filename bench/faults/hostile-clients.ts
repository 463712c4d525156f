/*
 * Misbehaving clients, all at the same time, until the time is over. They are a process of their own, so that they do
 * not delay whoever watches the service. Parameters: host, port, seconds. A connection that the service ends is reopened.
 */
import { Agent, get, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { COSTLY_REQUESTS } from '../../test/setup/requests/costly-requests.ts'

const host = String(process.argv[2])
const [port = 0, seconds = 0] = process.argv.slice(3).map(Number)
const endsAt = Date.now() + seconds * 1000
const isOver = () => Date.now() >= endsAt

/**
 * How long a client waits before it connects again. Node takes in one connection each turn of its loop: a flood of new
 * ones is for what stands in front, and would only measure the length of the queue here.
 */
const PAUSE_MS = 1000

/** The delay between requests on a persistent connection: together they leave the process some time. */
const QUERY_PAUSE_MS = 100

/** What became of what was tried, by kind of client. */
const counts: Record<string, number> = {}
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1
}

/** Holds one connection after another, each until the service or the client ends it. */
async function hold(what: string, behave: (socket: Socket) => Promise<unknown> | unknown, isReading = true) {
  while (!isOver()) {
    const socket = connect(port, host)
    socket.on('error', () => undefined)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const giveUp = setTimeout(() => socket.destroy(), Math.max(0, endsAt - Date.now()))
    if (isReading) socket.resume()
    socket.once('connect', () => void Promise.resolve(behave(socket)).catch(() => undefined))
    await closed
    clearTimeout(giveUp)
    count(what)
    await sleep(PAUSE_MS)
  }
}

/** A header line now and then, and never the last one. */
async function sendSlowly(socket: Socket) {
  socket.write('GET /campaigns HTTP/1.1\r\nhost: soak\r\n')
  while (!socket.destroyed && !isOver()) {
    await sleep(1000)
    socket.write('x-more: 1\r\n')
  }
}

/** Sends many pipelined requests on one connection; reads the responses or does not. */
async function pipeline(socket: Socket) {
  const requests = 'GET /campaigns?pageSize=100 HTTP/1.1\r\nhost: soak\r\n\r\n'.repeat(1000)
  for (let turn = 0; turn < 10 && !socket.destroyed; turn += 1) {
    if (!socket.write(requests)) await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
  }
  await sleep(2000)
  socket.destroy()
}

/** Sends an expensive request, each one different, and disconnects before the response. */
async function sendAndDisconnect(socket: Socket) {
  const page = 1 + Math.floor(Math.random() * 1e9)
  socket.write(`GET /campaigns?sortBy=active&pageSize=100&page=${page} HTTP/1.1\r\nhost: soak\r\n\r\n`)
  await sleep(Math.random() * 20)
  socket.destroy()
}

/** Sends requests that are expensive to parse, one after the other, and reads the responses. */
async function sendCostly(socket: Socket) {
  for (let turn = 0; !socket.destroyed && !isOver(); turn += 1) {
    const { head = '' } = COSTLY_REQUESTS[turn % COSTLY_REQUESTS.length] ?? {}
    socket.write(`${head}\r\n\r\n`)
    await new Promise((resolve) => {
      const end = () => resolve(socket.off('data', end).off('close', end))
      socket.on('data', end).on('close', end)
    })
    await sleep(QUERY_PAUSE_MS)
  }
}

/** Asks for the largest document many times, and reads three kilobytes of it every 25 seconds. */
async function readSlowly(socket: Socket) {
  socket.pause().write('GET /openapi.json HTTP/1.1\r\nhost: soak\r\n\r\n'.repeat(20))
  while (!socket.destroyed && !isOver()) {
    await sleep(25_000)
    socket.read(Math.min(socket.readableLength, 3000))
  }
}

/** Reads 30 kB a second of everything that claims have brought. */
async function exportSlowly(socket: Socket) {
  socket.pause().write('GET /export/claims?limit=100000 HTTP/1.1\r\nhost: soak\r\n\r\n')
  while (!socket.destroyed && !isOver()) {
    await sleep(1000)
    socket.read(Math.min(socket.readableLength, 30_000))
  }
}

let streamCount = 0

/** Follows changes by a filter that nobody else has. */
function followAlone(socket: Socket) {
  streamCount += 1
  const path = `/changes?chainId=8453,10,42161,${9_000_000 + streamCount}`
  socket.write(`GET ${path} HTTP/1.1\r\nhost: soak\r\naccept: text/event-stream\r\n\r\n`)
}

const behaviours = {
  'reads slowly': { clients: 40, run: (what: string) => hold(what, readSlowly, false) },
  'sends a header a second': { clients: 40, run: (what: string) => hold(what, sendSlowly) },
  'says nothing': { clients: 30, run: (what: string) => hold(what, () => undefined) },
  'sends half a request': {
    clients: 30,
    run: (what: string) => hold(what, (socket) => socket.write('GET /campaigns HTTP/1.1\r\nhos')),
  },
  'sends what is not HTTP, and stays': {
    clients: 20,
    run: (what: string) => hold(what, (socket) => socket.write('X\r\n\r\n')),
  },
  'wants a tunnel, and stays': {
    clients: 10,
    run: (what: string) => hold(what, (socket) => socket.write('CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n')),
  },
  'pipelines 10,000 requests and reads': { clients: 5, run: (what: string) => hold(what, pipeline) },
  'pipelines 10,000 requests and reads nothing': { clients: 5, run: (what: string) => hold(what, pipeline, false) },
  'asks in costly forms': { clients: 20, run: (what: string) => hold(what, sendCostly) },
  'asks and leaves': { clients: 30, run: (what: string) => hold(what, sendAndDisconnect) },
  'never asks the same twice': { clients: 30, run: sendAbandonedRequests },
  'calls tools that take the most': { clients: 40, run: callTools },
  'reads exports slowly': { clients: 2, run: (what: string) => hold(what, exportSlowly, false) },
  'follows changes by a filter of its own': { clients: 100, run: (what: string) => hold(what, followAlone) },
}

const agent = new Agent({ keepAlive: true, maxSockets: behaviours['never asks the same twice'].clients })
const toolAgent = new Agent({ keepAlive: true, maxSockets: behaviours['calls tools that take the most'].clients })

/** A list of campaigns for the tools that take campaigns. */
const readIds = () =>
  new Promise<string[]>((resolve) => {
    get({ host, port, path: '/campaigns?pageSize=100&fields=id&tokenWhitelist=false' }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.once('end', () => {
        const campaigns: { id: string }[] = response.statusCode === 200 ? JSON.parse(text).campaigns : []
        resolve(campaigns.map(({ id }) => id))
      })
    }).once('error', () => resolve([]))
  })

/** Messages to `/mcp` one after the other: lists of tools, and tools that read a lot and write what fits. */
async function callTools(what: string) {
  let campaignIds: string[] = []
  for (let turn = 0; !isOver(); turn += 1) {
    if (campaignIds.length === 0) campaignIds = await readIds()
    const start = (turn * 17) % (campaignIds.length + 1)
    const campaignId = [...campaignIds.slice(start), ...campaignIds.slice(0, start)]
    const calls = [
      { name: 'get_campaigns', arguments: { campaignId: campaignId.slice(0, 8) } },
      { name: 'get_campaigns', arguments: { campaignId: campaignId.slice(0, 50) } },
      { name: 'find_campaigns', arguments: { pageSize: 100, tokenWhitelist: false } },
      undefined,
    ]
    const params = calls[turn % calls.length]
    const method = params === undefined ? 'tools/list' : 'tools/call'
    const status = await post(JSON.stringify({ jsonrpc: '2.0', id: turn, method, params }))
    count(`${what}: ${status}`)
    if (status !== 200) await sleep(QUERY_PAUSE_MS)
  }
}

const post = (body: string) =>
  new Promise<number | string>((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    request({ agent: toolAgent, host, port, path: '/mcp', method: 'POST', headers }, (response) => {
      response.resume()
      response.once('close', () => resolve(response.statusCode ?? 0))
    })
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      .end(body)
  })

let requestCount = 0

/** Fills the response cache, with large ones and tiny ones in turn. */
async function sendAbandonedRequests(what: string) {
  while (!isOver()) {
    requestCount += 1
    const size =
      requestCount % 2 === 0
        ? `pageSize=0&page=${requestCount}`
        : `pageSize=${1 + (requestCount % 100)}&page=${1 + (requestCount % 997)}`
    const status = await new Promise<number | string>((resolve) => {
      get({ agent, host, port, path: `/campaigns?tokenWhitelist=false&${size}` }, (response) => {
        response.resume()
        response.once('close', () => resolve(response.statusCode ?? 0))
      }).once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })
    count(`${what}: ${status}`)
    await sleep(QUERY_PAUSE_MS)
  }
}

await Promise.all(
  Object.entries(behaviours).flatMap(([what, { clients, run }]) =>
    Array.from({ length: clients }, async () => {
      // Not all at the same moment.
      await sleep(Math.random() * PAUSE_MS * 5)
      await run(what)
    }),
  ),
)
agent.destroy()
toolAgent.destroy()
process.send?.(counts)

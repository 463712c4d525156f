import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openIngest } from '../../../src/ingest/batches.ts'
import { removeFacts } from '../../data/block-batches.ts'
import { findAny, findMostClaimed, findPopular } from '../../data/popular-facts.ts'
import { describeRounds, measureRound, type Round, rateAgainst, rotate } from '../../measuring/alternating-rounds.ts'
import { medianOf } from '../../measuring/measure.ts'
import type { Part } from '../../measuring/part.ts'
import { processMs, residentMegabytes } from '../../measuring/processor-time.ts'
import { createFeed } from '../../service/feed.ts'
import { startService } from '../../service/service.ts'
import { CACHE_MEGABYTES } from '../requests/repeated.ts'

const STREAMS = 1000

/** Each may have a tenth of the streams that a process serves. */
const ADDRESSES = 20
const ROUNDS = 3
const SECONDS = 8
const PROBE_MS = 100

/** A thousand clients follow the changes, as blocks come in by the second. */
export const streams: Part = {
  limitMinutes: 4,
  targets: {
    rate: {
      what: 'list page from the cache beside 1,000 streams, 20 claims a second',
      ...{ unit: '% of the rate without streams', rule: 'at least', limit: 90 },
    },
    livez: { what: 'slowest `/livez` beside them', unit: 'ms', rule: 'at most', limit: 250 },
    memory: { what: 'memory beside them', unit: 'MB', rule: 'at most', limit: 300 },
  },
  async *measure(context) {
    const { facts, signal } = context
    const [max, others] = [await findMostClaimed(facts.url), await findAny(facts.url, 5000)]
    const ingest = await openIngest(facts.url)
    const feed = createFeed(ingest, await findPopular(facts.url), max, others)
    await using service = await startService(context, facts.url, CACHE_MEGABYTES)
    const over = new AbortController()
    const feeding = feed.run(AbortSignal.any([signal, over.signal]), () => undefined)
    const job = { url: service.url, lanes: rotate([{ path: '/campaigns' }]), seconds: SECONDS }
    const rounds: Record<'without' | 'beside', Round[]> = { without: [], beside: [] }
    const slowest: number[] = []
    const [bytes, megabytes, quietShares] = [[0], [0], [] as number[]]
    try {
      await context.load({ ...job, seconds: 3 })
      for (let round = 0; round < ROUNDS; round += 1) {
        signal.throwIfAborted()
        rounds.without.push(await measureRound(context, service, job))
        const open = await openStreams(service.url)
        const [cpu, begin] = [processMs(service.process.pid), performance.now()]
        slowest.push(await slowestProbe(service.url, SECONDS / 2))
        quietShares.push((processMs(service.process.pid) - cpu) / (performance.now() - begin))
        rounds.beside.push(await measureRound(context, service, job))
        megabytes.push(residentMegabytes(service.process.pid))
        bytes.push(await open.close())
        await sleep(500)
      }
    } finally {
      over.abort()
      await feeding
      await removeFacts(ingest, { claims: feed.claims, campaigns: feed.committed.campaigns }).finally(() =>
        ingest.close(),
      )
    }
    const note = `${describeRounds('beside', rounds.beside)}; ${describeRounds('without', rounds.without)}`
    yield { target: 'rate', value: rateAgainst(rounds.beside, rounds.without) * 100, note }
    const share = `streams alone take ${Math.round(medianOf(quietShares) * 100)} % of a processor`
    yield { target: 'livez', value: Math.max(...slowest), note: `every ${PROBE_MS} ms; ${share}` }
    const sent = `${Math.round(Math.max(...bytes) / STREAMS / 1024)} KB sent to each stream in a round`
    yield { target: 'memory', value: Math.max(...megabytes), note: sent }
  },
}

/** Each has begun when they are returned; those that end by themselves are a failure. */
async function openStreams(url: string) {
  const { port, hostname } = new URL(url)
  let bytes = 0
  async function openStream(_: undefined, stream: number) {
    const localAddress = `127.0.0.${2 + (stream % ADDRESSES)}`
    const socket: Socket = connect({ port: Number(port), host: hostname, localAddress })
    socket.write('GET /changes HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\n\r\n')
    const [head] = (await once(socket, 'data')) as [Buffer]
    if (!head.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(`a stream was refused: ${head}`)
    return socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
  }
  const sockets = await Promise.all(Array.from({ length: STREAMS }, openStream))
  return {
    /** @returns the bytes that came. */
    async close() {
      const ended = sockets.filter(({ destroyed }) => destroyed).length
      for (const socket of sockets) socket.destroy()
      if (ended > 0) throw new Error(`${ended} streams were cut off`)
      return bytes
    },
  }
}

/** Milliseconds of the slowest of many requests for `/livez`, without other requests. */
async function slowestProbe(url: string, seconds: number) {
  let slowest = 0
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(PROBE_MS)) {
    const start = performance.now()
    await (await fetch(`${url}/livez`)).text()
    slowest = Math.max(slowest, performance.now() - start)
  }
  return slowest
}

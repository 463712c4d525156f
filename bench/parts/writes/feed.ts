import { setTimeout as sleep } from 'node:timers/promises'
import { openIngest } from '../../../src/ingest/batches.ts'
import { removeFacts } from '../../data/block-batches.ts'
import { findAny, findMostClaimed, findPopular } from '../../data/popular-facts.ts'
import { describeRounds, measureRound, type Round, rateAgainst, rotate } from '../../measuring/alternating-rounds.ts'
import { medianOf, percent, percentile, request, toText } from '../../measuring/measure.ts'
import type { Part } from '../../measuring/part.ts'
import { residentMegabytes } from '../../measuring/processor-time.ts'
import { createFeed, type Feed } from '../../service/feed.ts'
import { mixedPaths } from '../../service/queries.ts'
import { startBareRoute, startService } from '../../service/service.ts'
import { CACHE_MEGABYTES } from '../requests/repeated.ts'

const ROUNDS = 3
const FEED_SECONDS = 20
const BARE_SECONDS = 6
const OWN_MEGABYTES = 200
const POLL_INTERVAL_MS = 200

/** One block a second, under load. */
export const feeding: Part = {
  limitMinutes: 6,
  targets: {
    rate: {
      what: '100 URLs of all operations under the feed',
      unit: '% of the bare Fastify route',
      rule: 'at least',
      limit: 50,
    },
    p99: { what: '100 URLs of all operations under the feed, p99', unit: 'ms', rule: 'at most', limit: 10 },
    stale: { what: 'stale answers under the feed', unit: '', rule: 'at most', limit: 0 },
    memory: {
      what: `resident memory of \`serve\` under that load, ${CACHE_MEGABYTES} MB of it for answers`,
      unit: 'MB',
      rule: 'at most',
      limit: OWN_MEGABYTES + CACHE_MEGABYTES,
    },
  },
  async *measure(context) {
    const { facts, log } = context
    const popular = await findPopular(facts.url)
    const [max, others] = [await findMostClaimed(facts.url), await findAny(facts.url, 5000)]
    await using service = await startService(context, facts.url, CACHE_MEGABYTES)
    const megabytesAtStart = residentMegabytes(service.process.pid)
    const paths = mixedPaths(popular, max, others)
    await using bare = await startBareRoute(service, paths)
    const lanes = rotate(paths.map((path) => ({ path })))
    const before = new Map<string, number>()
    for (const id of max) {
      const detail = JSON.parse(String(await request(`${service.url}/campaigns/${id}`)))
      // Points have no number of claims.
      if (detail.incentives[0]?.totalClaims !== undefined) before.set(id, countClaims(detail))
    }

    const ingest = await openIngest(facts.url)
    const feed = createFeed(ingest, popular, max, others)
    const reader = createReader(service.url, feed, before)
    const rounds = { ours: [] as Round[], still: [] as Round[], bare: [] as Round[] }
    let megabytes = 0
    const watch = setInterval(() => {
      megabytes = Math.max(megabytes, residentMegabytes(service.process.pid))
    }, POLL_INTERVAL_MS)
    try {
      await context.load({ url: service.url, lanes, seconds: 3 })
      for (let round = 0; round < ROUNDS; round += 1) {
        context.signal.throwIfAborted()
        rounds.bare.push(await measureRound(context, bare, { url: bare.url, lanes, seconds: BARE_SECONDS }))
        rounds.still.push(await measureRound(context, service, { url: service.url, lanes, seconds: BARE_SECONDS }))
        const over = new AbortController()
        const until = AbortSignal.any([over.signal, context.signal])
        const beside = Promise.all([feed.run(until, reader.recordCommit), reader.run(until)])
        try {
          rounds.ours.push(await measureRound(context, service, { url: service.url, lanes, seconds: FEED_SECONDS }))
        } finally {
          over.abort()
          await beside
        }
        log(`round ${round + 1} of ${ROUNDS}: ${describeRounds('the service', rounds.ours.slice(-1))}`)
      }
      const failures = rounds.ours.reduce((sum, round) => sum + round.failures, 0)
      const [worst, p999] = [
        Math.max(...rounds.ours.map(({ worst }) => worst)),
        medianOf(rounds.ours.map(({ p999 }) => p999)),
      ]
      const batches = feed.batchMs.toSorted((one, other) => one - other)
      yield {
        target: 'rate',
        value: rateAgainst(rounds.ours, rounds.bare) * 100,
        note: `${describeRounds('ours, PostgreSQL with the feed,', rounds.ours)}; ${describeRounds('bare', rounds.bare)}; nothing written ${percent(rateAgainst(rounds.still, rounds.bare))}: ${describeRounds('ours', rounds.still)}${failures === 0 ? '' : `; ${failures} requests failed`}`,
      }
      yield {
        target: 'p99',
        value: medianOf(rounds.ours.map(({ p99 }) => p99)),
        note: `p50 ${medianOf(rounds.ours.map(({ p50 }) => p50)).toFixed(1)} ms, p99.9 ${p999.toFixed(1)} ms, worst ${worst.toFixed(1)} ms; meanwhile ${batches.length} batches in ${ROUNDS * FEED_SECONDS} s, p50 ${percentile(batches, 0.5).toFixed(1)} ms, p99 ${percentile(batches, 0.99).toFixed(1)} ms`,
      }
      const { checked, stale, oldestMs, failed, examples } = reader.freshness
      if (checked === 0) throw new Error('no answer was compared with what was committed')
      yield {
        target: 'stale',
        value: stale,
        note: `of ${checked.toLocaleString('en-US')} compared with what was committed before they were asked for${stale === 0 ? '' : `, up to ${toText(oldestMs)} ms after the commit (${examples.join('; ')})`}${failed === 0 ? '' : `; ${failed} requests had no answer`}`,
      }
      yield { target: 'memory', value: megabytes, note: `${Math.round(megabytesAtStart)} MB after the start` }
    } finally {
      clearInterval(watch)
      await removeFacts(ingest, { claims: feed.claims, campaigns: feed.committed.campaigns }).finally(() =>
        ingest.close(),
      )
    }
  },
}

/** The interval of polls; each commit is polled for at once as well. */
const PAUSE_MS = 25

interface Freshness {
  /** Responses that were compared with what was committed before their request. */
  checked: number
  stale: number
  /** Maximum time in milliseconds between a commit and a request whose response did not show it. */
  oldestMs: number
  /** Requests that had no answer to compare. */
  failed: number
  examples: string[]
}

/** The minimum that a response must show: all that was committed before its request. */
interface Poll {
  path: string
  expected: number
  toCount: (body: never) => number
}

/**
 * A reader that knows what is committed. It asks all four operations for what the feed has brought, and tells a response that
 * lacks something which was committed before the request was sent.
 * @param before the claims of some campaigns when nothing had been brought.
 */
function createReader(url: string, { creator, committed }: Feed, before: Map<string, number>) {
  const watched = [...before.keys()]
  const freshness: Freshness = { checked: 0, stale: 0, oldestMs: 0, failed: 0, examples: [] }
  let turn = 0
  let committedAt = performance.now()

  function polls(): Poll[] {
    const details = watched.slice(turn % watched.length, (turn % watched.length) + 1)
    return [
      ...details.map((id) => ({
        path: `/campaigns/${id}`,
        expected: (before.get(id) ?? 0) + (committed.claims.get(id) ?? 0),
        toCount: countClaims,
      })),
      {
        path: `/campaigns?owner=${creator}&pageSize=1`,
        expected: committed.campaigns.length,
        toCount: ({ totalCampaigns }: { totalCampaigns: number }) => totalCampaigns,
      },
      {
        path: `/reward-kit/trending?creator=${creator}`,
        expected: committed.ownClaims,
        toCount: ({ trendingCampaigns }: { trendingCampaigns: { claimCount: number }[] }) =>
          trendingCampaigns.reduce((sum, { claimCount }) => sum + claimCount, 0),
      },
      {
        path: `/explore/contracts?creator=${creator}`,
        expected: committed.ownClaims,
        toCount: (contracts: { stats: { totalClaims: number } }[]) =>
          contracts.reduce((sum, { stats }) => sum + stats.totalClaims, 0),
      },
    ]
  }

  async function check({ path, expected, toCount }: Poll) {
    const sinceCommit = performance.now() - committedAt
    try {
      const response = await fetch(url + path)
      if (!response.ok) throw new Error(`${path}: ${response.status}`)
      const count = toCount((await response.json()) as never)
      freshness.checked += 1
      if (count >= expected) return
      freshness.stale += 1
      freshness.oldestMs = Math.max(freshness.oldestMs, sinceCommit)
      if (freshness.examples.length < 3) freshness.examples.push(`${path}: ${count} of ${expected}`)
    } catch {
      freshness.failed += 1
    }
  }

  return {
    freshness,
    /** To be called when a batch is committed. */
    recordCommit() {
      committedAt = performance.now()
      for (const poll of polls()) void check(poll)
    },
    async run(until: AbortSignal) {
      while (!until.aborted) {
        turn += 1
        for (const poll of polls()) await check(poll)
        await sleep(PAUSE_MS)
      }
    },
  }
}

/** The number of claims in the detail of a campaign, of all its incentives. */
const countClaims = ({ incentives }: { incentives: { totalClaims?: string }[] }) =>
  incentives.reduce((sum, { totalClaims }) => sum + Number(totalClaims ?? 0), 0)

import { setTimeout as sleep } from 'node:timers/promises'
import type { Feed } from './feed.ts'

/** The interval of polls; each commit is polled for at once as well. */
const PAUSE_MS = 25

interface Freshness {
  /** Responses that were compared with what was committed before their request. */
  checked: number
  stale: number
  /** Maximum time in milliseconds between a commit and a request whose response did not show it. */
  oldestMs: number
  /** Requests without a response to compare. */
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
export function createReader(url: string, { creator, committed }: Feed, before: Map<string, number>) {
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
export const countClaims = ({ incentives }: { incentives: { totalClaims?: string }[] }) =>
  incentives.reduce((sum, { totalClaims }) => sum + Number(totalClaims ?? 0), 0)

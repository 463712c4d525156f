import { expect } from 'vitest'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import type { Random } from '../data/random-records.ts'
import type { BorrowedTestApp } from '../test-app.ts'
import { expectedContracts, expectedTrending, type QueryText } from './second-opinion.ts'
import { activityQuery, expectedActivity } from './second-opinion-activity.ts'
import { expectedCampaign, expectedCampaigns } from './second-opinion-campaigns.ts'
import { campaignsQuery, contractsQuery, trendingQuery, type Vocabulary } from './second-opinion-queries.ts'

export type Operation = '/campaigns' | '/campaigns/{id}' | '/reward-kit/trending' | '/explore/contracts' | '/activity'

/** As JSON has it, which makes a shorter difference. */
const withoutUndefined = (body: unknown): unknown => JSON.parse(JSON.stringify(body))

/** Of the detail, the query is the ID. */
export type Query = readonly [Operation, QueryText]

export const toUrl = ([operation, query]: Query) =>
  operation === '/campaigns/{id}' ? `/campaigns/${query.id}` : `${operation}?${new URLSearchParams(query)}`

/** So many questions to each operation. */
export const randomQueries = (words: Vocabulary, random: Random, count: number) =>
  Array.from({ length: count }, (): Query[] => [
    ['/campaigns', campaignsQuery(words, random)],
    ['/campaigns/{id}', { id: random.inAnyCase(random.pick(words.ids)).replace('0X', '0x') }],
    ['/reward-kit/trending', trendingQuery(words, random)],
    ['/explore/contracts', contractsQuery(words, random)],
    ['/activity', activityQuery(words, random)],
  ]).flat()

/** Compares answers with the second opinion, and remembers what kinds of things were in them. */
export function createComparison(api: BorrowedTestApp, name: string) {
  const seen = new Map<string, number>()
  const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)

  async function compareOne(request: Query, records: readonly ImportRecord[], now: Date) {
    const [operation, query] = request
    const url = toUrl(request)
    const response = await api.get(url)
    const about = `${name}, now ${now.toISOString()}, ${url}`
    const detail = operation === '/campaigns/{id}' ? expectedCampaign(records, String(query.id), now) : undefined
    if (operation === '/campaigns/{id}' && detail === undefined) {
      expect(response.statusCode, about).toBe(404)
      see('no such campaign')
      return
    }
    expect(response.statusCode, `${about}: ${response.body.slice(0, 300)}`).toBe(200)
    see(operation)
    if (detail !== undefined) {
      expect(response.json(), about).toEqual(withoutUndefined(detail))
      if (detail.availableBudgetUsd !== null) see('budget in dollars')
      if (detail.allowList.addresses.length > 100) see('long allow list')
      if (detail.actionClaimant !== undefined) see('action claimant')
      return
    }
    if (operation === '/campaigns') {
      const body = expectedCampaigns(records, query, now)
      expect(response.json(), about).toEqual(withoutUndefined(body))
      if (body.campaigns.length > 0) see(`${operation} with entries`)
      if (body.campaigns.length < body.totalCampaigns) see(`${operation} on several pages`)
      if (new Set(body.campaigns.map(({ isActive }) => isActive)).size > 1) see('active and inactive ones')
      return
    }
    if (operation === '/explore/contracts') {
      const { body, totalCount } = expectedContracts(records, query, now)
      expect(response.json(), about).toEqual(body)
      expect(response.headers['x-total-count'], about).toBe(String(totalCount))
      if (body.length > 0) see(`${operation} with entries`)
      if (body.some(({ stats }) => stats.totalClaims > 0)) see(`${operation} with claims`)
      if (body.length < totalCount) see(`${operation} on several pages`)
      return
    }
    if (operation === '/activity') {
      const body = expectedActivity(records, query, now)
      expect(response.json(), about).toEqual(body)
      for (const { totalClaims, previous } of body.campaigns) {
        if (totalClaims > 0) see(`${operation} with claims`)
        if (previous.totalClaims > 0) see(`${operation} with claims before`)
      }
      return
    }
    const body = expectedTrending(records, query, now)
    expect(response.json(), about).toEqual(withoutUndefined(body))
    const entries = body.trendingCampaigns
    if (entries.length > 0) see(`${operation} with entries`)
    if (entries.length === 100) see(`${operation} with 100 entries`)
    for (const entry of entries) {
      see(`status ${entry.status}`)
      if (entry.actionTokenMetadata !== undefined) see('action token')
      see(entry.actionTemplate === null ? 'no template' : 'template')
      for (const { type, metadata, rewardUsdValue } of entry.incentives) {
        see(type)
        see(metadata === null ? 'unknown token' : 'known token')
        if (rewardUsdValue !== undefined && rewardUsdValue > 0) see('price')
      }
    }
    const volumes = entries.map(({ usdDistributed24Hr }) => usdDistributed24Hr)
    if (query.period !== '1h' && new Set(volumes).size < volumes.length) see('equal volumes')
  }

  /** Asks many at once, as clients do; not so many that the last ones wait longer for a connection than a request may. */
  async function compare(queries: readonly Query[], records: readonly ImportRecord[], now: Date) {
    api.setNow(now)
    for (let start = 0; start < queries.length; start += AT_ONCE) {
      await Promise.all(queries.slice(start, start + AT_ONCE).map((request) => compareOne(request, records, now)))
    }
  }
  return { compare, seen }
}

const AT_ONCE = 200

export type Comparison = ReturnType<typeof createComparison>

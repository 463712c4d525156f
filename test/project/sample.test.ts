import { generateSample } from 'reward-campaigns-sample-data'
import { expect, test } from 'vitest'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { firstOf } from '../setup/repetitions.ts'
import { startTestApp } from '../setup/test-app.ts'

/*
 * What a newcomer sees who starts the service with sample data, whatever the day and the hour.
 */

interface Entry {
  actionTemplate: { actionType: string } | null
  status: string
  usdDistributed1Hr: number
  usdDistributed24Hr: number
  actionTokenMetadata?: object
}
interface Contract {
  chainId: number
  name: string
  stats: { totalClaims: number; totalAmountClaimedUsd: number }
}

const distinct = (values: unknown[]) => new Set(values).size
const signedIn = (records: ImportRecord[]) =>
  records.flatMap((record) => (record.type === 'claimSignature' ? [record.claimant] : []))

/** The first is at a boundary of days and years, and as old as what is served may be. */
const moments = [
  { now: new Date('2027-01-01T00:00:00.000Z'), seed: 1, ageMs: 599_999 },
  { now: new Date(), seed: 21, ageMs: 0 },
  { now: new Date('2028-02-29T23:59:59.999Z'), seed: 29, ageMs: 0 },
]

test.each(firstOf(moments, 2))(
  'sample data made at $now has something to trend and to explore',
  async ({ now, seed, ageMs }) => {
    await using api = await startTestApp()
    api.setNow(new Date(now.getTime() + ageMs))
    // Prices of the future are refused.
    const records = [...generateSample({ campaigns: 400, claims: 8000, seed, now })].filter(
      (record) => record.type !== 'tokenPrice' || new Date(record.at) < new Date(),
    )
    await api.save(...records)
    const trending = async (query: string): Promise<Entry[]> =>
      (await api.get(`/reward-kit/trending?includeTokenMetadata=true&${query}`)).json().trendingCampaigns
    const contracts = async (query: string): Promise<Contract[]> =>
      (await api.get(`/explore/contracts?pageSize=100&${query}`)).json()

    for (const [period, least] of [
      ['1h', 20],
      ['24h', 60],
    ] as const) {
      const entries = await trending(`period=${period}`)
      expect(entries.length).toBeGreaterThan(least)
      expect(distinct(entries.map(({ actionTemplate }) => actionTemplate?.actionType))).toBeGreaterThan(3)
      expect(entries.some(({ actionTokenMetadata }) => actionTokenMetadata !== undefined)).toBe(true)
    }
    const day = await trending('')
    expect(
      day.filter((entry) => entry.usdDistributed1Hr > 0 && entry.usdDistributed1Hr < entry.usdDistributed24Hr),
    ).not.toEqual([])
    expect(await trending('period=1h&tokenWhitelist=false')).not.toEqual(await trending('period=1h'))

    const statuses = new Set<string>()
    for (const user of signedIn(records)) {
      for (const { status } of await trending(`user=${user}`)) statuses.add(status)
      if (statuses.size === 3) break
    }
    expect([...statuses].sort()).toEqual(['active', 'claimable', 'claimed'])

    const all = await contracts('')
    expect(distinct(all.map(({ chainId }) => chainId))).toBeGreaterThan(2)
    expect(all.filter(({ name }) => name !== '').length).toBeGreaterThan(10)
    let fewer = all
    for (const range of ['7d', '24h', '6h']) {
      const found = await contracts(`timeRange=${range}`)
      const claims = found.map(({ stats }) => stats.totalClaims)
      expect(claims.filter((count) => count > 0).length).toBeGreaterThan(10)
      expect(Math.max(...claims)).toBeLessThan(Math.max(...fewer.map(({ stats }) => stats.totalClaims)))
      fewer = found
    }
    const orders = ['most-completions', 'total-spend', 'recently-deployed'].map((order) => contracts(`sortBy=${order}`))
    expect(distinct((await Promise.all(orders)).map((order) => JSON.stringify(order)))).toBe(3)
  },
)

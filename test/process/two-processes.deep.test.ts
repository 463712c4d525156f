import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { CampaignDetail, ListCampaignsResponse } from '../../src/features/campaigns/campaign-schemas.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, aToken, toClaimIdentity } from '../setup/records.ts'
import { startCli } from '../setup/servers/processes.ts'

/** Batches, and the time from one to the next: enough for responses to be kept. Each kind of change comes twice at least. */
const BATCHES = 24
const PAUSE_MS = 120

const asset = anAddress('paid asset')
const target = anAddress('used contract')
const owner = anAddress('owner of what is fed')

/** What a process says of the one campaign that is fed, and of how many there are. */
async function viewOf(url: string, id: string) {
  const ask = async <RawResponse>(path: string) => {
    const response = await fetch(url + path)
    expect(response.status, path).toBe(200)
    return (await response.json()) as RawResponse
  }
  const [detail, list, trending, contracts] = await Promise.all([
    ask<CampaignDetail>(`/campaigns/${id}`),
    ask<ListCampaignsResponse>(`/campaigns?owner=${owner}&pageSize=1`),
    ask<{ trendingCampaigns: { claimCount: number; usdDistributed1Hr: number }[] }>(
      `/reward-kit/trending?owner=${owner}`,
    ),
    ask<{ stats: object }[]>('/explore/contracts?timeRange=6h'),
  ])
  const [trendingOne] = trending.trendingCampaigns
  return {
    incentives: detail.incentives,
    name: detail.campaignName,
    campaigns: list.totalCampaigns,
    newest: list.campaigns[0]?.id,
    claimCount: trendingOne?.claimCount,
    usd: trendingOne?.usdDistributed1Hr,
    stats: contracts[0]?.stats,
  }
}

test('two processes on one database both show every batch in the answers to whoever asks after its commit', {
  timeout: 120_000,
}, async () => {
  await using database = await createTestDatabase()
  const settings = { DATABASE_URL: database.url, PORT: '0', MAX_EVENT_LOOP_DELAY_MS: '0' }
  await using one = startCli(['serve'], settings)
  await using other = startCli(['serve'], settings)
  const urls = await Promise.all([one.ready(), other.ready()])
  const ingest = await openIngest(database.url)
  await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }

  const start = Math.floor(Date.now() / 1000) - 600
  const fed = aCampaign({
    owner,
    campaignName: 'batch 0',
    blockTimestamp: String(start),
    incentives: [anErc20Incentive(asset, { limit: '1000000' })],
    actionSteps: [aStep(target)],
  })
  await ingest.apply({ records: [aToken({ address: asset }), fed] })
  const claims = Array.from({ length: BATCHES }, (_, index) =>
    aClaim(fed, { amount: '3', amountUsd: '0.5', blockTimestamp: String(start + index) }),
  )

  // Readers that never rest, so that there always are kept responses and some under way.
  const ended = new AbortController()
  let asked = 0
  const readers = [...urls, ...urls].map(async (url) => {
    while (!ended.signal.aborted) {
      await viewOf(url, fed.id)
      asked += 1
    }
  })
  try {
    let present = 0
    let campaigns = 1
    let newest = fed.id
    for (const [index, claim] of claims.entries()) {
      // A claim each time; at times one before is taken back, a campaign is changed, another one comes.
      const isTakenBack = index % 4 === 3
      const another = aCampaign({
        owner,
        blockTimestamp: String(start + 1 + index),
        incentives: [anErc20Incentive(asset)],
        actionSteps: [aStep(target)],
      })
      const renamed = { ...fed, campaignName: `batch ${index}` }
      const hasAnother = index % 5 === 4
      await ingest.apply({
        records: [claim, renamed, ...(hasAnother ? [another] : [])],
        revertedClaims: isTakenBack ? [toClaimIdentity(claims[index - 1] ?? claim)] : [],
      })
      present += isTakenBack ? 0 : 1
      if (hasAnother) campaigns += 1
      if (hasAnother) newest = another.id
      const expected = {
        incentives: [expect.objectContaining({ totalAmountClaimed: `${3 * present}`, totalClaims: `${present}` })],
        name: renamed.campaignName,
        campaigns,
        newest,
        claimCount: present,
        usd: present / 2,
        stats: { campaignCount: campaigns, totalClaims: present, totalAmountClaimedUsd: present / 2 },
      }
      expect(await Promise.all(urls.map((url) => viewOf(url, fed.id))), `after batch ${index}`).toEqual([
        expected,
        expected,
      ])
      await sleep(PAUSE_MS)
    }
  } finally {
    ended.abort()
    await Promise.all(readers)
  }
  expect(asked).toBeGreaterThan(BATCHES)
})

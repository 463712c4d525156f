import { expect, test } from 'vitest'
import { connectForBatches } from '../../src/ingest/batch-connection.ts'
import { inTransaction, prepareIngest } from '../../src/ingest/batches.ts'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, aToken } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'
import { borrowTestApp } from '../setup/test-app.ts'

test('public answers say as of which blocks they are, chains ascending, where any is followed', async () => {
  await using api = await borrowTestApp()
  const campaign = aCampaign()
  await api.save(campaign)
  const paths = ['/campaigns', `/campaigns/${campaign.id}`, '/reward-kit/trending', '/explore/contracts', '/activity']
  for (const path of paths) expect((await api.get(path)).headers).not.toHaveProperty('x-as-of')
  await setFollowed(api.database, 8453, null)
  for (const path of paths) expect((await api.get(path)).headers).not.toHaveProperty('x-as-of')
  await setFollowed(api.database, 8453, 22_222_222)
  await setFollowed(api.database, 10, 1_234_567)
  await setFollowed(api.database, 480, null)
  for (const path of paths) {
    const response = await api.get(path)
    expect(response.headers['x-as-of']).toBe('10:1234567, 8453:22222222')
    expect(response.headers['access-control-expose-headers']).toContain('x-as-of')
  }
})

test('an empty block moves the header on, and neither the tag nor what is kept', async () => {
  await using api = await borrowTestApp()
  await setFollowed(api.database, 8453, 1)
  const first = await api.get('/campaigns')
  const tag = String(first.headers.etag)
  for (const block of [2, 3, 2]) {
    await setFollowed(api.database, 8453, block)
    const again = await api.get('/campaigns')
    expect(again.headers).toMatchObject({ etag: tag, 'x-as-of': `8453:${block}` })
    const unchanged = await api.get('/campaigns', { 'if-none-match': tag })
    expect(unchanged.statusCode).toBe(304)
    expect(unchanged.headers['x-as-of']).toBe(`8453:${block}`)
  }
})

test.each(['64', '0'])('no answer mixes blocks, with %s MB for kept ones', async (megabytes) => {
  await using api = await borrowTestApp({ RESPONSE_CACHE_MB: megabytes })
  const token = aToken({ whitelisted: true })
  const campaign = aCampaign({
    incentives: [anErc20Incentive(token.address)],
    actionSteps: [aStep(anAddress('target'))],
  })
  await api.save(token, campaign)
  await setFollowed(api.database, 8453, 0)
  let block = 0
  let isOver = false

  /** Each block has a claim; it and the block are committed together. */
  async function write() {
    const client = await connectForBatches(api.database.url, 'reward-campaigns test')
    const ingest = await prepareIngest(client)
    await client.query("select set_config('reward_campaigns.follows', '8453', false)")
    while (!isOver) {
      const next = block + 1
      await inTransaction(client, async () => {
        const blockTimestamp = String(Math.floor(Date.now() / 1000) - 5)
        await ingest.applyWithin({ records: [aClaim(campaign, { blockTimestamp, amountUsd: '1' })] })
        await client.query('update followed_chains set as_of_block = $1', [next])
      })
      block = next
    }
    await client.end()
  }

  const looks: [path: string, toCount: (body: never) => number][] = [
    ['/campaigns', (body: Listed) => Number(body.campaigns[0]?.incentives[0]?.totalClaims)],
    [`/campaigns/${campaign.id}`, (body: Item) => Number(body.incentives[0]?.totalClaims)],
    ['/reward-kit/trending', (body: Trending) => body.trendingCampaigns[0]?.claimCount ?? 0],
    ['/explore/contracts', (body: Explored[]) => body[0]?.stats.totalClaims ?? 0],
    [`/activity?campaignId=${campaign.id}`, (body: Activity) => body.campaigns[0]?.totalClaims ?? 0],
  ]
  const seen = new Set<number>()
  async function readOnce(path: string, toCount: (body: never) => number) {
    const minimum = block
    const [plain, atLeast] = await Promise.all([
      api.get(path),
      api.get(`${path}${path.includes('?') ? '&' : '?'}minBlock=8453:${minimum}`),
    ])
    for (const response of [plain, atLeast]) {
      if (response.statusCode === 503) continue
      const count = toCount(response.json() as never)
      expect(`8453:${count}`, path).toBe(response.headers['x-as-of'])
      seen.add(count)
    }
    if (atLeast.statusCode === 200) expect(toCount(atLeast.json() as never)).toBeGreaterThanOrEqual(minimum)
  }

  /** Some rounds, and on a busy machine as many as it takes for some blocks. */
  async function read() {
    for (let round = 1; !isOver && (round <= repeated(4, 8) || seen.size <= 10); round += 1) {
      for (const look of looks) await readOnce(...look)
    }
  }
  const writing = write()
  try {
    await Promise.all(Array.from({ length: repeated(4, 6) }, read))
  } finally {
    isOver = true
    await writing
  }
  expect(seen.size).toBeGreaterThan(10)
})

interface Item {
  incentives: { totalClaims: string }[]
}
interface Listed {
  campaigns: Item[]
}
interface Trending {
  trendingCampaigns: { claimCount: number }[]
}
interface Activity {
  campaigns: { totalClaims: number }[]
}
interface Explored {
  stats: { totalClaims: number }
}

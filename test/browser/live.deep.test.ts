import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { hasBrowser, inBrowser, ONCE_MORE } from '../setup/pages/browser.ts'
import { answered, type Explorer, NOW, startExplorer } from '../setup/pages/explorer.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'
import { openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { waitFor } from '../setup/wait-for.ts'

const token = aToken({ priceUsd: '1' })
const campaign = aCampaign({ campaignName: 'Swap', incentives: [anErc20Incentive(token.address)] })
/** As often as a page asks how far the chains are. */
const STATUS_REFRESH_MS = 10_000
const claim = () => aClaim(campaign, { blockTimestamp: String(NOW.getTime() / 1000 - 60) })

describe.skipIf(!hasBrowser)(`a page that is looked at ${inBrowser}`, ONCE_MORE, () => {
  let explorer: Explorer
  beforeAll(async () => {
    explorer = await startExplorer({ MAX_STREAMS: '1' })
    await explorer.api.save(token, campaign, claim())
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  const streams = (count: number) => waitFor(async () => explorer.api.counts.streams() === count || undefined)

  test('is live: a claim is there without a poll; without a stream it polls, and does not say so', async () => {
    const { api, base } = explorer
    await using tab = await explorer.openLive(`/explorer/campaigns/${campaign.id}`)
    await tab.page.getByText('Live', { exact: true }).waitFor()
    await tab.page.getByRole('heading', { name: 'Swap' }).waitFor()
    const rows = tab.page.locator('.claims > li')
    const before = await rows.count()
    await api.save(claim())
    // A page that is live polls once a minute.
    await rows.nth(before).waitFor()
    expect(tab.faults).toEqual([])

    // There is no room for another one.
    await using other = await explorer.openLive('/explorer/campaigns')
    await other.page.getByText(/^Version /).waitFor()
    expect(await other.page.getByText('Live', { exact: true }).count()).toBe(0)
    const listed = other.page.getByText('Another one')
    await api.save(aCampaign({ campaignName: 'Another one', incentives: campaign.incentives }))
    await other.page.clock.fastForward(11_000)
    await listed.first().waitFor()

    await tab.page.goto(`${base}/docs/guides`)
    await streams(0)
    await tab.page.goto(`${base}/explorer/campaigns`)
    await answered(tab.page)
    await streams(1)
  })

  test.each(['0', '600'])(
    'does not say that it is live while the database is unreachable, with old responses kept for %s seconds',
    async (seconds) => {
      await using database = await createTestDatabase()
      await using proxy = await openDatabaseProxy(database.url)
      await using watched = await startExplorer({ STALE_IF_ERROR_SECONDS: seconds }, { ...database, url: proxy.url })
      await using tab = await watched.openLive('/explorer/campaigns')
      const live = tab.page.getByText('Live', { exact: true })
      await live.waitFor()
      proxy.interrupt('cut')
      await tab.page.clock.fastForward(STATUS_REFRESH_MS + 1_000)
      await live.waitFor({ state: 'detached' })
      proxy.interrupt(undefined)
      await tab.page.clock.fastForward(STATUS_REFRESH_MS + 1_000)
      await live.waitFor()
    },
  )
})

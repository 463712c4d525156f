import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'
import { startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'
import { startOwnServer } from './setup/own-server.ts'
import { newQueries, pollRequest, STALE } from './setup/readers.ts'

const OUTAGE_MS = repeated(5000, 10_000)

test(`${OUTAGE_MS / 1000} seconds without PostgreSQL fail no request that was asked before, and a second after its return all is fresh`, async () => {
  await using server = await startOwnServer()
  const token = aToken({ priceUsd: '1' })
  const campaign = aCampaign({ incentives: [anErc20Incentive(token.address)] })
  const justNow = String(Math.floor(Date.now() / 1000) - 60)
  await server.save(token, campaign, aClaim(campaign, { blockTimestamp: justNow, amountUsd: '3' }))
  await using service = startCli(['serve'], { DATABASE_URL: server.url, PORT: '0', MAX_EVENT_LOOP_DELAY_MS: '0' })
  const url = await service.ready()

  const paths = ['/campaigns', `/campaigns/${campaign.id}`, '/reward-kit/trending', '/explore/contracts']
  await using readers = pollRequest(url, paths)
  await using strangers = pollRequest(url, [newQueries()])
  await using probes = pollRequest(url, ['/readyz', '/livez'])
  await sleep(1000)
  // On a busy machine the first answers take longer.
  await waitFor(async () => paths.every((path) => readers.seen.some((response) => response.path === path)) || undefined)
  const before = [...readers.seen, ...strangers.seen, ...probes.seen]
  expect(before.filter(({ status, cacheStatus }) => status !== 200 || cacheStatus !== null)).toEqual([])

  await server.kill()
  const goneAt = performance.now()
  await sleep(OUTAGE_MS)
  await server.start()
  const backAt = performance.now()
  await server.save(aCampaign({ incentives: [anErc20Incentive(token.address)] }))
  await sleep(2000)
  await Promise.all([readers.stop(), strangers.stop(), probes.stop()])
  const isMeanwhile = ({ at }: { at: number }) => at > goneAt + 1000 && at < backAt - 2000
  const isAfterwards = ({ at }: { at: number }) => at > backAt + 1000

  expect(readers.seen.filter(({ status }) => status !== 200)).toEqual([])
  const meanwhile = readers.seen.filter(isMeanwhile)
  // All readers went on all the time.
  expect(meanwhile.length).toBeGreaterThan((OUTAGE_MS / 1000) * paths.length)
  expect(new Set(meanwhile.map(({ cacheStatus }) => cacheStatus))).toEqual(new Set([STALE]))
  expect(readers.seen.filter((response) => isAfterwards(response) && response.cacheStatus !== null)).toEqual([])
  const total = readers.seen.findLast(({ path }) => path === '/campaigns')?.body ?? ''
  expect(JSON.parse(total)).toMatchObject({ totalCampaigns: 2 })

  const refused = strangers.seen.filter(isMeanwhile)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.filter(({ status, retryAfter }) => status !== 503 || !/^[1-9]/.test(retryAfter ?? ''))).toEqual([])
  expect(strangers.seen.filter((response) => isAfterwards(response) && response.status !== 200)).toEqual([])

  const ofProbe = (path: string, is: (response: { at: number }) => boolean) =>
    new Set(probes.seen.filter((response) => response.path === path && is(response)).map(({ status }) => status))
  expect(ofProbe('/readyz', isMeanwhile)).toEqual(new Set([503]))
  expect(ofProbe('/readyz', isAfterwards)).toEqual(new Set([200]))
  expect(ofProbe('/livez', () => true)).toEqual(new Set([200]))
})

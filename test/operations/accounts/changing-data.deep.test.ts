import { expect, test } from 'vitest'
import { openIngest } from '../../../src/ingest/batches.ts'
import { aPayload } from '../../setup/data/payloads.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive } from '../../setup/records.ts'
import { startTestApp } from '../../setup/test-app.ts'

/** A request gives up after five seconds, and what it has begun takes another second or two. */
const GIVEN_UP_MS = 12_000
const WRITING_MS = 20_000

test('rewards of many signatures come, or are said to change too fast, though something is committed all the time', async () => {
  await using api = await startTestApp({ RESPONSE_CACHE_MB: '0' })
  const ingest = await openIngest(api.database.url)
  await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
  const user = anAddress('signed for often')
  const [other, ...campaigns] = Array.from({ length: 121 }, () =>
    aCampaign({ incentives: Array.from({ length: 25 }, () => anErc20Incentive(anAddress('asset'))) }),
  )
  if (other === undefined) throw new TypeError('there is no campaign')
  const signatures = campaigns.flatMap(({ id: campaignId, incentives }) =>
    incentives.map((_, incentiveId) => ({
      ...{ type: 'claimSignature' as const, campaignId, incentiveId, claimant: user, signature: aPayload(0n) },
      referrer: user,
    })),
  )
  await api.save(other, ...campaigns, ...signatures)
  const begun = performance.now()
  let isRead = false
  const writing = (async () => {
    while (!isRead && performance.now() - begun < WRITING_MS) await ingest.apply({ records: [aClaim(other)] })
  })()
  const response = await api.get(`/users/${user}/rewards?claimTransactions=true`)
  const took = performance.now() - begun
  isRead = true
  await writing
  expect(took).toBeLessThan(GIVEN_UP_MS)
  expect([200, 503]).toContain(response.statusCode)
  if (response.statusCode === 503) {
    expect(response.json().error).toContain('could not read a consistent snapshot')
    expect(response.headers['retry-after']).toBeDefined()
  }
})

import { expect, test } from 'vitest'
import { byBudget, fetchBudgets } from '../../packages/explorer/src/earn/budgets.ts'
import { aCampaign, anErc20Incentive, aToken } from '../setup/records.ts'
import { startTestClient } from '../setup/test-client.ts'

test('active campaigns are ranked by the exact dollars that are left of them, over all pages', async () => {
  await using service = await startTestClient()
  const token = aToken({ decimals: 6, priceUsd: '1', whitelisted: true })
  const unpriced = aToken({ decimals: 6, whitelisted: true })
  const paying = (address: string, limit: number, changes = {}) =>
    aCampaign({
      incentives: [anErc20Incentive(address, { strategy: 0, reward: '1', limit: String(limit) })],
      ...changes,
    })
  const campaigns = Array.from({ length: 120 }, (_, index) => paying(token.address, index + 1))
  const others = [
    paying(token.address, 0),
    paying(token.address, 9999, { endTime: '2020-01-01T00:00:00.000Z' }),
    paying(unpriced.address, 9999),
  ]
  await service.api.save(token, unpriced, ...campaigns, ...others)
  const { ranked, totalUsd, compared } = await fetchBudgets(service.client, new AbortController().signal)
  expect(ranked).toEqual(campaigns.map(({ id }) => id).reverse())
  expect(totalUsd).toBe('0.00726')
  expect(compared).toBeUndefined()
})

test('dollars are compared as they are, however many there are', () => {
  const campaigns = ['9007199254740993', '9007199254740993.000001', null, '10'].map((availableBudgetUsd) => ({
    availableBudgetUsd,
  }))
  expect(byBudget(campaigns).map(({ availableBudgetUsd }) => availableBudgetUsd)).toEqual([
    '9007199254740993.000001',
    '9007199254740993',
    '10',
    null,
  ])
})

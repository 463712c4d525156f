import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseCsv } from '../setup/data/csv.ts'
import { aPayload } from '../setup/data/payloads.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { startTestClient, type TestClient } from '../setup/test-client.ts'

const token = aToken()
const campaigns = [8453, 10].map((chainId) =>
  aCampaign({ id: `${chainId}:${anAddress('core')}:7`, incentives: [anErc20Incentive(token.address)] }),
)
const user = anAddress('who claims')
const signatures = campaigns.map(({ id: campaignId }) => ({
  ...{ type: 'claimSignature' as const, campaignId, incentiveId: 0, claimant: user, signature: aPayload(0n) },
  referrer: anAddress('referrer'),
}))
const claims = Array.from({ length: 23 }, (_, number) =>
  aClaim(campaigns[number % 2] ?? aCampaign(), {
    claimant: anAddress('who has claimed'),
    blockTimestamp: String(1_750_000_000 + number),
  }),
)

let service: TestClient
beforeAll(async () => {
  service = await startTestClient()
  await service.api.save(token, ...campaigns, ...signatures, ...claims)
})
afterAll(() => service[Symbol.asyncDispose]())

async function toArray<Part>(parts: AsyncIterable<Part>): Promise<Part[]> {
  const all: Part[] = []
  for await (const part of parts) all.push(part)
  return all
}

test('one call returns the transactions that claim everything, of the chosen chains', async () => {
  const { client } = service
  const of = async (query = {}) =>
    (await client.claimTransactions(user, query)).map(({ chainId, rewards }) => ({ chainId, rewards }))
  const all = [10, 8453].map((chainId) => ({
    chainId,
    rewards: [{ campaignId: `${chainId}:${anAddress('core')}:7`, incentiveIndex: 0 }],
  }))
  expect(await of()).toEqual(all)
  expect(await of({ chainId: [8453] })).toEqual(all.slice(1))
  expect(await client.claimTransactions(anAddress('nobody'))).toEqual([])
  await expect(client.claimTransactions('0x1')).rejects.toMatchObject({ status: 400 })
})

test('a statement of claims comes page by page, with one header', async () => {
  const { client, api } = service
  const query = { claimant: anAddress('who has claimed'), since: '2025-06-15T15:06:43Z' }
  const parts = await toArray(client.claimStatement({ ...query, pageSize: 9 }))
  expect(parts.map((part) => parseCsv(part).length)).toEqual([10, 9, 2])
  const whole = await api.get(`/claims?${new URLSearchParams({ ...query, format: 'csv' })}`)
  expect(parts.join('')).toBe(whole.body)
  expect(parseCsv(whole.body)).toHaveLength(21)
  expect(await toArray(client.claimStatement(query))).toEqual([whole.body])
  const [header = ''] = whole.body.split('\r\n')
  expect(await toArray(client.claimStatement({ claimant: anAddress('nobody') }))).toEqual([`${header}\r\n`])
})

test('a statement of rewards does likewise', async () => {
  const { client, api } = service
  const parts = await toArray(client.rewardStatement(user, { state: 'claimable', pageSize: 1 }))
  expect(parts.map((part) => parseCsv(part).length)).toEqual([2, 1])
  expect(parts.join('')).toBe((await api.get(`/users/${user}/rewards?state=claimable&format=csv`)).body)
})

test('a statement that is refused rejects with the sentence of the service', async () => {
  await expect(toArray(service.client.claimStatement({ pageSize: 10_001 }))).rejects.toMatchObject({
    status: 400,
    errors: [{ parameter: 'pageSize' }],
  })
})

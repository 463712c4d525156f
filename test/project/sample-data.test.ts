import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { generateSample } from 'reward-campaigns-sample-data'
import { decodeAbiParameters, decodeFunctionData, type Hex, parseAbi, parseAbiParameters, size } from 'viem'
import { expect, test } from 'vitest'
import { incentiveTypes } from '../../src/schemas/campaigns/incentives.ts'
import { toClaimTransaction } from '../../src/schemas/payloads/encode-claim-transaction.ts'

/*
 * The facts that the sample is made of are what their schema says, agree with each other, and all get into a sample.
 */

const folder = join(import.meta.dirname, '../../packages/sample-data')
const readJson = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
const facts = readJson('facts.json')

const ajv = new Ajv2020({ allErrors: true, strictTypes: false })
addFormats.default(ajv)
const validate = ajv.compile(readJson('facts.schema.json'))

test('the facts are what their schema says', () => {
  validate(facts)
  expect(validate.errors ?? []).toEqual([])
})

test.each([
  ['an address that is cut off', '0x4200', (broken: typeof facts) => broken.tokens[0], 'address'],
  ['a price that is a number', 1.5, (broken: typeof facts) => broken.tokens[0], 'priceUsd'],
  ['a key that nobody reads', 1, (broken: typeof facts) => broken.chains[0], 'extra'],
  ['a category that there is not', 'sport', (broken: typeof facts) => broken.actionTemplates[0], 'category'],
  ['a list that is missing', undefined, (broken: typeof facts) => broken, 'accessLists'],
])('%s is refused', (_name, value, placeIn, key) => {
  const broken = structuredClone(facts)
  placeIn(broken)[key] = value
  expect(validate(JSON.parse(JSON.stringify(broken)))).toBe(false)
})

test('the facts agree with each other', () => {
  const chainIds: number[] = facts.chains.map(({ chainId }: { chainId: number }) => chainId)
  const templateIds = facts.actionTemplates.map(({ id }: { id: string }) => id)
  const tokenKeys = facts.tokens.map(
    (token: { chainId: number; address: string }) => `${token.chainId}:${token.address}`,
  )
  expect(new Set(tokenKeys).size).toBe(tokenKeys.length)
  expect(facts.chains.reduce((sum: number, { share }: { share: number }) => sum + share, 0)).toBe(100)
  for (const chainId of chainIds) {
    expect(tokenKeys, 'the native token').toContain(`${chainId}:0x${'0'.repeat(40)}`)
    for (const whitelisted of [true, false]) {
      expect(facts.tokens).toContainEqual(expect.objectContaining({ chainId, whitelisted }))
    }
  }
  for (const { templateId, collection, step, actionToken } of facts.actions) {
    expect(templateIds).toContain(templateId)
    expect(chainIds).toContain(step.chainId)
    if (collection?.startsWith('replaces')) expect(facts.collections.chainIds).toContain(step.chainId)
    if (actionToken !== undefined) expect(tokenKeys).toContain(`${step.chainId}:${actionToken}`)
  }
})

const claimFunction = parseAbi([
  'function claimIncentiveFor(uint256 boostId, uint256 incentiveId, address referrer, bytes data, address claimant) payable',
])
const payloadType = parseAbiParameters([
  'Payload payload',
  'struct Payload { bytes validatorData; bytes incentiveData; address referrer; }',
])
const signedType = parseAbiParameters([
  'Signed signed',
  'struct Signed { address signer; bytes signature; uint8 quantity; }',
])

const sampleOf = (campaigns: number, claims: number) => [
  ...generateSample({ campaigns, claims, seed: 4, now: new Date('2026-03-01T12:00:00.500Z') }),
]

test('fourteen campaigns show every kind of incentive and of allow list', () => {
  const campaigns = sampleOf(14, 140).filter((record) => record.type === 'campaign')
  const shown = new Set(campaigns.flatMap(({ incentives }) => incentives.map(({ type }) => type)))
  expect([...shown].sort()).toEqual([...incentiveTypes].sort())
  expect(new Set(campaigns.map(({ allowList }) => allowList?.type))).toEqual(
    new Set([...Object.keys(facts.protocol.allowListContracts), undefined]),
  )
})

test('claims are as many as asked for, in the order of their time, and of whom may claim what there is', () => {
  const records = sampleOf(300, 7001)
  const claims = records.filter((record) => record.type === 'claim')
  const campaigns = new Map(records.flatMap((record) => (record.type === 'campaign' ? [[record.id, record]] : [])))
  expect(claims.length).toBe(7001)
  const times = claims.map(({ blockTimestamp }) => Number(blockTimestamp))
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(times.at(-1)).toBeLessThanOrEqual(Date.parse('2026-03-01T12:00:00Z') / 1000)
  for (const { campaignId, incentiveIndex, claimant, blockTimestamp } of claims) {
    const { allowList, incentives, endTime, startTime } = campaigns.get(campaignId) ?? expect.fail(campaignId)
    expect(incentives.length).toBeGreaterThan(incentiveIndex)
    if (allowList?.type === 'SimpleAllowList') expect(allowList.addresses).toContain(claimant)
    if (allowList?.type === 'SimpleDenyList') expect(allowList.addresses).not.toContain(claimant)
    expect(Number(blockTimestamp) * 1000).toBeLessThan(endTime == null ? Number.POSITIVE_INFINITY : Date.parse(endTime))
    expect(Number(blockTimestamp) * 1000).toBeGreaterThanOrEqual(startTime == null ? 0 : Date.parse(startTime))
  }
})

test('each token with a price has one at every claim, and a claim in four has no recorded value', () => {
  const records = sampleOf(100, 4000)
  const claims = records.filter((record) => record.type === 'claim')
  const first = Math.min(...claims.map(({ blockTimestamp }) => Number(blockTimestamp) * 1000))
  const prices = records.filter((record) => record.type === 'tokenPrice')
  const bySymbol = new Map<string, string>()
  for (const token of records.filter((record) => record.type === 'token')) {
    const own = prices.filter(({ chainId, address }) => chainId === token.chainId && address === token.address)
    const times = own.map(({ at }) => Date.parse(at))
    expect(times).toEqual([...times].sort((a, b) => a - b))
    // So that the record of the token is no other price.
    expect(own.at(-1)?.priceUsd).toBe(token.priceUsd)
    if (token.priceUsd === undefined) continue
    expect(times[0]).toBeLessThan(first)
    expect(times.at(-1)).toBe(Date.parse('2026-03-01T12:00:00Z'))
    const history = own.map(({ priceUsd }) => priceUsd).join()
    expect(bySymbol.get(token.symbol) ?? history).toBe(history)
    bySymbol.set(token.symbol, history)
  }
  expect(bySymbol.size).toBeGreaterThan(10)
  const unvalued = claims.filter((claim) => !('amountUsd' in claim))
  expect(unvalued.length / claims.length).toBeGreaterThan(0.2)
  expect(unvalued.length / claims.length).toBeLessThan(0.3)
})

test('without campaigns there is nothing to claim, and seeds that differ in high bits only differ', () => {
  expect(sampleOf(0, 50).filter(({ type }) => type === 'claim' || type === 'campaign')).toEqual([])
  const [one, other] = [1, 1 + 2 ** 32].map((seed) => [
    ...generateSample({ campaigns: 2, claims: 2, seed, now: new Date('2026-03-01') }),
  ])
  expect(one).not.toEqual(other)
})

test('each signature is all that its claim needs: a payload for the claimant, whose referrer is that of the record', () => {
  const records = sampleOf(300, 3000)
  const signatures = records.filter((record) => record.type === 'claimSignature')
  expect(signatures.length).toBeGreaterThan(20)
  expect(sampleOf(300, 3000).filter((record) => record.type === 'claimSignature')).toEqual(signatures)
  const campaigns = new Map(records.flatMap((record) => (record.type === 'campaign' ? [[record.id, record]] : [])))
  for (const { campaignId, incentiveId, claimant, referrer, signature } of signatures) {
    const transaction = toClaimTransaction({ campaignId, incentiveIndex: incentiveId, claimant, referrer, signature })
    expect(transaction?.to).toBe(campaignId.split(':')[1])
    const { args } = decodeFunctionData({ abi: claimFunction, data: (transaction?.data ?? '0x') as Hex })
    expect(args.map((value) => String(value).toLowerCase())).toEqual([
      campaignId.split(':')[2],
      String(incentiveId),
      referrer,
      signature,
      claimant,
    ])
    const [payload] = decodeAbiParameters(payloadType, args[3])
    const [signed] = decodeAbiParameters(signedType, payload.validatorData)
    expect(payload.referrer.toLowerCase()).toBe(referrer)
    expect(signed.quantity).toBe(campaigns.get(campaignId)?.incentives.length)
    expect([size(args[3]), size(signed.signature), size(payload.incentiveData)]).toEqual([480, 65, 32])
  }
})

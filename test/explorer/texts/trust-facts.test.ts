import { readFileSync } from 'node:fs'
import type { Campaign, Incentive } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { toText } from '../../../packages/explorer/src/campaigns/prose.ts'
import { type TrustFact, trustFacts, trustVerdict } from '../../../packages/explorer/src/campaigns/trust/trust-text.ts'
import { anAddress, anErc20Incentive, aTimeBasedIncentive } from '../../setup/records.ts'

const openapi = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))
const exampleOf = (path: string, name: string) =>
  openapi.paths[path].get.responses[200].content['application/json'].examples[name].value

const token = exampleOf('/tokens', 'plain').tokens[0]
const [known, unlisted, unknown] = ['known', 'unlisted', 'unknown'].map(anAddress)
const tokens = new Map([
  [`8453:${known}`, { ...token, symbol: 'USDC', whitelisted: true }],
  [`8453:${unlisted}`, { ...token, symbol: 'USDC', whitelisted: false }],
])
const campaign: Campaign & { tokens: typeof tokens } = {
  ...exampleOf('/campaigns/{id}', 'plain'),
  ...{ chainId: 8453, blockTimestamp: '1767225600', endTime: null, maxParticipants: '0', isActive: true, tokens },
  incentives: [anErc20Incentive(known ?? '') as Incentive],
  availableBudgetUsd: '12.5',
  validator: anAddress('validator'),
}
const now = new Date('2026-03-01T12:00:00Z')
const factsOf = (changes: Partial<Campaign>, asOfBlock: string | null = '54469617') =>
  trustFacts({ ...campaign, ...changes }, tokens, [{ chainId: 8453, asOfBlock } as never], now).map(
    ({ kind, sentence }) => `${kind}: ${toText(sentence)}`,
  )

test('a campaign is judged in a sentence each: its token, its funds, who validates, since when, and until when', () => {
  expect(factsOf({})).toEqual([
    'good: Pays USDC, a known token.',
    'good: $12.5 left to claim, as read from chain 8453, as of block 54,469,617.',
    `neutral: You can claim once a signer has confirmed what you did: the validator ${campaign.validator} checks the signature.`,
    'neutral: Deployed 2026-01-01T00:00:00.000Z.',
    'neutral: No end date.',
  ])
})

test('a token that only calls itself so, and one that is unknown, are warned of, after those that are known', () => {
  const incentives = [unknown, unlisted, known, known].map((address) => anErc20Incentive(address ?? '') as Incentive)
  expect(factsOf({ incentives }).slice(0, 3)).toEqual([
    'good: Pays USDC, a known token.',
    `warning: Pays ${unknown}, a token that is unknown here.`,
    'warning: Pays USDC, which is not on the list of known tokens: anyone can call a token so.',
  ])
})

test('funds that no chain was asked for are not called good, nor those of a campaign that is not active', () => {
  const imported = 'neutral: $12.5 left to claim, according to imported data, not checked on chain.'
  expect(factsOf({}, null)[1]).toBe(imported)
  expect(factsOf({ incentives: [] })[0]).toMatch(/^neutral: You can claim/)
  expect(factsOf({ chainId: 10 })[1]).toBe(imported)
  expect(factsOf({ isActive: false })[1]).toMatch(/^neutral: /)
  expect(factsOf({ availableBudgetUsd: null })[1]).toBe(
    'good: What is left to claim has no known value in dollars, as read from chain 8453, as of block 54,469,617.',
  )
})

test('a list of those who may claim is warned of', () => {
  const { allowList } = campaign
  const list = (type: typeof allowList.type, addresses: string[]) =>
    factsOf({ allowList: { ...allowList, type, addresses } }).filter((fact) => fact.startsWith('warning'))
  expect(list('SimpleAllowList', [known ?? ''])).toEqual([
    'warning: May be claimed by the 1 address on its allow list.',
  ])
  expect(list('OffchainAccessList', [])).toEqual([
    'warning: May be claimed by the members of an access list of the service.',
  ])
  expect([...list('OpenAllowList', []), ...list('SimpleDenyList', [known ?? ''])]).toEqual([])
})

test('what the facts come to is said first', () => {
  const of = (...kinds: TrustFact['kind'][]) => kinds.map((kind): TrustFact => ({ kind, sentence: [] }))
  expect(trustVerdict(of('good', 'neutral'), true)).toBe('Nothing speaks against it.')
  expect(trustVerdict(of('good', 'neutral'), false)).toMatch(/but nothing was checked on chain/)
  expect(trustVerdict(of('good', 'warning'), true)).toBe('1 thing to take care of.')
  expect(trustVerdict(of('warning', 'warning'), false)).toBe('2 things to take care of.')
})

test('a missing validator is warned of, and a proof needs none', () => {
  expect(factsOf({ validator: `0x${'0'.repeat(40)}` })[2]).toBe('warning: No validator is recorded.')
  expect(factsOf({ incentives: [aTimeBasedIncentive(known ?? '') as Incentive] })[2]).toBe(
    'neutral: Claims need a proof of what the account has earned.',
  )
})

test('an end, and how many people at most, are told', () => {
  expect(factsOf({ endTime: '2026-04-01T00:00:00.000Z', maxParticipants: '100' }).at(-1)).toBe(
    'neutral: Ends 2026-04-01T00:00:00.000Z, for at most 100 people.',
  )
  expect(factsOf({ endTime: '2026-02-01T00:00:00.000Z', maxParticipants: '1' }).at(-1)).toBe(
    'warning: Ended 2026-02-01T00:00:00.000Z, for at most 1 person.',
  )
})

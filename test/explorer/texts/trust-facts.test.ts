import { readFileSync } from 'node:fs'
import type { Campaign, Incentive } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { toText } from '../../../packages/explorer/src/campaigns/prose.ts'
import { trustFacts, trustLines, trustVerdict } from '../../../packages/explorer/src/campaigns/trust/trust-text.ts'
import { recordContract } from '../../../packages/explorer/src/recorded-contracts.ts'
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
const chainsAt = (asOfBlock: string | null) => [{ chainId: 8453, asOfBlock } as never]
const factsOf = (changes: Partial<Campaign>) =>
  trustFacts({ ...campaign, ...changes }, chainsAt('54469617'), now).map(
    ({ kind, sentence }) => `${kind}: ${toText(sentence)}`,
  )
const verdictOf = (changes: Partial<Campaign>) => trustVerdict({ ...campaign, ...changes }, tokens, now).map(toText)
const linesOf = (changes: Partial<Campaign>, asOfBlock: string | null = '54469617', known = tokens) =>
  trustLines({ ...campaign, ...changes, tokens: known }, known, chainsAt(asOfBlock)).map(
    ({ kind, sentence }) => `${kind}: ${toText(sentence)}`,
  )
const fundsOf = (...given: Parameters<typeof linesOf>) => linesOf(...given).at(-2)
/** Ten claims of 0.0001. */
const READ = 'neutral: Funded: 0.001 USDC ($12.5) left'
const IMPORTED = '(imported data, not checked on chain)'
const SIGNER = 'Not certain: that the signer confirms what you did. Without that, nothing is paid.'

test('the token, the funds and the validator are told first, a line each', () => {
  const validator = `neutral: Validator: unnamed contract ${campaign.validator}`
  expect(linesOf({})).toEqual(['good: Token: USDC, known', READ, validator])
  recordContract({ chainId: 8453, address: campaign.validator, name: 'Signer Validator' })
  expect(linesOf({}).at(-1)).toBe(`neutral: Validator: Signer Validator ${campaign.validator}`)
  expect(linesOf({ validator: `0x${'0'.repeat(40)}` }).at(-1)).toBe('warning: Validator: none is recorded')
  expect(linesOf({ incentives: [aTimeBasedIncentive(known ?? '') as Incentive] }).at(-1)).toBe(
    'neutral: Validator: not needed, claims take a proof',
  )
  const incentives = [known, unlisted, unknown].map((address) => anErc20Incentive(address ?? '') as Incentive)
  expect(linesOf({ incentives })[0]).toBe(`warning: Tokens: USDC, known; USDC, not a known one; ${unknown}, unknown`)
  expect(linesOf({ incentives: [] })[0]).toBe('neutral: It pays no token: what its reward is worth is unknown')
})

test('what is left has its dollars token by token, and what has no price is named', () => {
  const incentives = [known, unlisted].map((address) => anErc20Incentive(address ?? '') as Incentive)
  const priced = (one: string | null, other: string | null) =>
    fundsOf(
      { incentives },
      '1',
      new Map([
        [`8453:${known}`, { ...token, symbol: 'DAI', priceUsd: one, whitelisted: true }],
        [`8453:${unlisted}`, { ...token, symbol: 'NEW', priceUsd: other, whitelisted: false }],
      ]),
    )
  expect(priced('2', '3')).toBe('neutral: Funded: 0.001 DAI ($0.002) and 0.001 NEW ($0.003) left')
  expect(priced('2', null)).toBe('neutral: Funded: 0.001 DAI ($0.002) left; NEW has no price')
  expect(priced(null, null)).toBe('neutral: Funded: 0.001 DAI and 0.001 NEW left; DAI and NEW have no price')
})

test('what the lines leave out is told in a sentence each: how claims are confirmed, as of when, since when, and until when', () => {
  expect(factsOf({})).toEqual([
    `neutral: You can claim once a signer has confirmed what you did: the validator ${campaign.validator} checks the signature.`,
    'neutral: What is left is read from chain 8453 as of block 54,469,617.',
    'neutral: Deployed 2026-01-01T00:00:00.000Z.',
    'neutral: No end date.',
  ])
})

test('what is not certain is said', () => {
  expect(verdictOf({})).toEqual([SIGNER])
})

test('funds that no chain was asked for are said to be imported, not there', () => {
  expect(fundsOf({}, null)).toBe(`neutral: Funded: 0.001 USDC ($12.5) left ${IMPORTED}`)
})

test('what is left is added up for each token', () => {
  const one = anErc20Incentive(known ?? '') as Incentive
  expect(fundsOf({ incentives: [one, one] })).toBe(READ.replace('0.001', '0.002'))
  const spent = [{ ...one, remainingBalance: '0' } as Incentive]
  expect(fundsOf({ incentives: spent })).toBe('neutral: Empty: nothing is left to claim')
  expect(fundsOf({ incentives: spent }, null)).toBe(`neutral: Empty: nothing is left to claim ${IMPORTED}`)
})

test('of what an auction has left, only dollars are known', () => {
  const auction = { type: 'CGDAIncentive', asset: known, initialReward: '1', rewardDecay: '1', rewardBoost: '1' }
  const incentives = [{ ...auction, totalBudget: '70' } as Incentive]
  expect(fundsOf({ incentives })).toBe('neutral: Funded: $12.5 left')
  expect(fundsOf({ incentives, availableBudgetUsd: null })).toBe('neutral: How much is left to claim is unknown')
})

test('tokens that are not known ones are worth nothing for certain', () => {
  const paying = (...addresses: (string | undefined)[]) =>
    verdictOf({ incentives: addresses.map((address) => anErc20Incentive(address ?? '') as Incentive) })[0]
  const ends = 'not on the list of known tokens: treat'
  expect(paying(unknown)).toBe(`Its reward token is ${ends} its value as nothing.`)
  expect(paying(unlisted)).toBe(`Its reward token is ${ends} its value as nothing.`)
  expect(paying(unknown, unlisted)).toBe(`Its reward tokens are ${ends} their value as nothing.`)
  expect(paying(known, unlisted)).toBe(`1 of its 2 reward tokens is ${ends} its value as nothing.`)
})

test('what has ended, has not started or is claimed by all who may is said first', () => {
  const [past, future] = ['2026-02-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z']
  expect(verdictOf({ endTime: past, isActive: false })).toEqual([`It ended ${past}: what you do now earns nothing.`])
  expect(verdictOf({ startTime: future, isActive: false })).toEqual([
    `It has not started: it starts ${future}.`,
    ...[SIGNER],
  ])
  expect(verdictOf({ startTime: past, endTime: future, isActive: false })).toEqual([
    'Nothing more can be claimed of it.',
  ])
})

test('of a list, a missing validator and terms, what is not certain is said', () => {
  const { allowList } = campaign
  expect(verdictOf({ allowList: { ...allowList, type: 'SimpleAllowList' } })).toEqual([
    'Only accounts on a list may claim.',
    SIGNER,
  ])
  expect(verdictOf({ validator: `0x${'0'.repeat(40)}` })).toEqual([
    'No validator is recorded: it is unknown whether claims can be confirmed.',
  ])
  expect(verdictOf({ incentives: [aTimeBasedIncentive(known ?? '') as Incentive] }).at(-1)).toBe(
    'Not certain: how much an account earns, which terms decide that no chain has.',
  )
})

test('where no signer confirms, none is told of', () => {
  const withoutSigner = ['neutral: Deployed 2026-01-01T00:00:00.000Z.', 'neutral: No end date.']
  expect(factsOf({ validator: `0x${'0'.repeat(40)}` }).slice(1)).toEqual(withoutSigner)
  expect(factsOf({ incentives: [aTimeBasedIncentive(known ?? '') as Incentive] }).slice(1)).toEqual(withoutSigner)
})

test('an end is told, and whether it has come', () => {
  expect(factsOf({ endTime: '2026-04-01T00:00:00.000Z' }).at(-1)).toBe('neutral: Ends 2026-04-01T00:00:00.000Z.')
  expect(factsOf({ endTime: '2026-02-01T00:00:00.000Z' }).at(-1)).toBe('warning: Ended 2026-02-01T00:00:00.000Z.')
})

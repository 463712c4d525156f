import { readFileSync } from 'node:fs'
import type { Campaign, Incentive, IncentiveType } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { claimDollars } from '../../../packages/explorer/src/campaigns/incentives/dollars.ts'
import type { Rewarding } from '../../../packages/explorer/src/campaigns/incentives/incentive-budget.ts'
import { sentenceOf } from '../../../packages/explorer/src/campaigns/incentives/incentive-sentences.ts'
import { incentiveName, payoutOf } from '../../../packages/explorer/src/campaigns/incentives/incentive-words.ts'
import { toText } from '../../../packages/explorer/src/campaigns/prose.ts'
import { tokensOf } from '../../../packages/explorer/src/campaigns/tokens/known-tokens.ts'
import { anAddress, anIncentiveOfEachVariant } from '../../setup/records.ts'

const openapi = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))
/** The campaign of the documentation: 0.5 USDC for each of ten claims, one of which has been made. */
const example: Campaign =
  openapi.paths['/campaigns/{id}'].get.responses[200].content['application/json'].examples.plain.value

const chainId = 8453
const tokensOn = (chain: number) =>
  new Map([
    [`${chain}:${anAddress('asset')}`, { decimals: 3, symbol: 'ASSET', name: 'Asset' }],
    [`${chain}:${anAddress('peg')}`, { decimals: 2, symbol: 'PEG', name: 'Peg' }],
  ])
const tokens = tokensOn(chainId)
const incentives = anIncentiveOfEachVariant(anAddress) as Incentive[]

/** A campaign of them all, which anybody may claim. */
const campaign: Campaign & Rewarding = { ...example, incentives, tokens }

const incentiveOf = <Type extends IncentiveType>(type: Type) => {
  const found = incentives.find((incentive) => incentive.type === type)
  if (found === undefined) throw new Error(`no ${type}`)
  return found as Extract<Incentive, { type: Type }>
}

const ALL: Record<IncentiveType, string> = {
  AllowListIncentive: 'A slot on an allow list, to anybody; at most 10 users in all.',
  CGDAIncentive:
    'An auction that starts at 0.1 ASSET, falls by 0.005 ASSET with each claim and rises by 0.006 ASSET for each hour without one, to anybody; its budget is 7 ASSET; how much of it is left is unknown.',
  ERC20Incentive:
    '0.1 ASSET to one claimant, by raffle, to anybody; 0.014 ASSET of 0.026 ASSET left, 20 more entries possible.',
  PointsIncentive: '30 points for each claim, to anybody; at most 40 claims in all.',
  ERC20VariableIncentive:
    '0.0000000000000001% of the amount signed in each claim in ASSET, to anybody; 0.014 ASSET of 0.026 ASSET left.',
  ERC20VariableCriteriaIncentive:
    '200% of the amount of the action in ASSET, at most 0.6 ASSET for one claim, to anybody; 0.014 ASSET of 0.026 ASSET left.',
  ERC20VariableCriteriaIncentiveV2:
    '200% of the amount of the action in ASSET, at most 0.6 ASSET for one claim, to anybody; 0.014 ASSET of 0.026 ASSET left.',
  ERC20PeggedIncentive: 'ASSET worth 1 PEG for each claim, to anybody; 0.014 ASSET of 0.026 ASSET left.',
  ERC20PeggedVariableCriteriaIncentive:
    '200% of the amount of the action, paid in ASSET, at most the worth of 6 PEG for one claim, to anybody; 0.014 ASSET of 0.026 ASSET left.',
  ERC20PeggedVariableCriteriaIncentiveV2:
    '200% of the amount of the action, paid in ASSET, at most the worth of 6 PEG for one claim, to anybody; 0.014 ASSET of 0.026 ASSET left.',
  TimeBasedIncentive:
    'ASSET that is earned over time, as terms decide that no chain has, to anybody; 0.014 ASSET of 0.026 ASSET left, 0.04 ASSET earned so far, claimable until 2031-03-01T00:00:00.000Z.',
}

test.each(Object.entries(ALL))('%s is explained in a sentence, with exact amounts', (type, sentence) => {
  expect(toText(sentenceOf(campaign, incentiveOf(type as IncentiveType)))).toBe(sentence)
})

/** What a claim is worth at $2 for a token and $3 for a peg; undefined where that is not known before it is made. */
const WORTH: Record<IncentiveType, object | undefined> = {
  AllowListIncentive: undefined,
  CGDAIncentive: undefined,
  ERC20Incentive: undefined,
  PointsIncentive: undefined,
  ERC20VariableIncentive: undefined,
  ERC20PeggedIncentive: { usd: '3', isMaximum: false },
  ERC20VariableCriteriaIncentive: { usd: '12', isMaximum: true },
  ERC20VariableCriteriaIncentiveV2: { usd: '12', isMaximum: true },
  ERC20PeggedVariableCriteriaIncentive: { usd: '18', isMaximum: true },
  ERC20PeggedVariableCriteriaIncentiveV2: { usd: '18', isMaximum: true },
  TimeBasedIncentive: undefined,
}

test.each(incentives)('a claim of $type is worth what its fields say', (incentive) => {
  const priced = new Map(
    [...tokens].map(([id, token]) => [
      id,
      { ...token, decimals: 2, priceUsd: id.endsWith(anAddress('peg')) ? '3' : '2' },
    ]),
  )
  const worth = (changes: object) => claimDollars({ chainId, tokens: priced }, { ...incentive, ...changes })
  expect(worth({})).toEqual(WORTH[incentive.type])
  // Without a maximum, nobody knows the most.
  if ('maxReward' in incentive) expect(worth({ maxReward: '0' })).toBeUndefined()
})

test('every variant of the document is explained, and has a name', () => {
  expect(Object.keys(ALL).sort()).toEqual(
    Object.keys(openapi.components.schemas)
      .filter((name) => name in ALL)
      .sort(),
  )
  expect(openapi.components.schemas.Incentive.oneOf).toHaveLength(Object.keys(ALL).length)
  const names = incentives.map(incentiveName)
  expect(names.every((name) => name.length > 3)).toBe(true)
  expect(names.slice(0, 11)).toEqual([
    'A slot on a list',
    'Auction',
    'Raffle',
    'Points',
    'Signed reward',
    'Share of the action',
    'Share of the action',
    'Fixed worth',
    'Share of the action, pegged',
    'Share of the action, pegged',
    'Reward over time',
  ])
})

test('the campaign of the documentation is explained', () => {
  const shown = { ...example, tokens: tokensOf([example]) }
  expect(shown.incentives.map((incentive) => toText(sentenceOf(shown, incentive)))).toEqual([
    'A slot on an allow list, to anybody; at most 10 users in all.',
  ])
})

test('a scalar of 0 scales nothing, and a cap of 0 caps nothing', () => {
  const signed = { ...incentiveOf('ERC20VariableIncentive'), reward: '0' }
  expect(toText(payoutOf(campaign, signed))).toBe('The amount signed in each claim in ASSET')
  const computed = { ...incentiveOf('ERC20VariableCriteriaIncentive'), reward: '0', maxReward: '0' }
  expect(toText(payoutOf(campaign, computed))).toBe('The amount of the action in ASSET')
})

test('what is not known of a token is not guessed: its amounts are base units', () => {
  const unknown = { ...campaign, tokens: new Map() }
  const of = `base units of ${anAddress('asset')}`
  expect(toText(payoutOf(unknown, { ...incentiveOf('ERC20Incentive'), strategy: 0 }))).toBe(`100 ${of} for each claim`)
  expect(toText(payoutOf(unknown, { ...incentiveOf('ERC20Incentive'), strategy: 7 }))).toBe(
    `100 ${of} by a strategy without a name here (7)`,
  )
})

test('the zero address is the native token, of 18 decimals, by its name where the chain is known', () => {
  const pegged = { ...incentiveOf('ERC20PeggedIncentive'), peg: `0x${'0'.repeat(40)}`, reward: '16000000000000000' }
  const on = (chain: number) => toText(payoutOf({ ...campaign, chainId: chain, tokens: tokensOn(chain) }, pegged))
  expect(on(8453)).toBe('ASSET worth 0.016 ETH for each claim')
  expect(on(137)).toBe('ASSET worth 0.016 POL for each claim')
  expect(on(424242)).toBe('ASSET worth 0.016 of the native token for each claim')
})

const points = incentiveOf('PointsIncentive')
const list = (type: Campaign['allowList']['type'], ...addresses: string[]) => ({
  allowList: { ...example.allowList, type, addresses },
})

test.each([
  [list('SimpleAllowList', '0x1', '0x2'), 'to the 2 addresses on its allow list'],
  [list('SimpleAllowList'), 'to nobody, because no address on its allow list is recorded'],
  [list('SimpleDenyList', '0x1'), 'to anybody but the 1 address on its deny list'],
  [list('SimpleDenyList'), 'to anybody'],
  [list('OffchainAccessList'), 'to the members of an access list of the service'],
])('a sentence says to whom: %o', (parts, said) => {
  expect(toText(sentenceOf({ ...campaign, ...parts }, points))).toBe(
    `30 points for each claim, ${said}; at most 40 claims in all.`,
  )
})

test('of claims and people who may claim, the fewer are told', () => {
  const pool = { ...incentiveOf('ERC20Incentive'), strategy: 0 }
  const left = (maxParticipants: string) =>
    toText(sentenceOf({ ...campaign, maxParticipants }, pool)).split(' left, ')[1]
  expect([left('0'), left('50')]).toEqual(['for 20 claims.', 'for 20 claims.'])
  expect([left('7'), left('1')]).toEqual(['for at most 7 people.', 'for at most 1 person.'])
  // By what the limit counts, not by how it pays.
  const { strategy: _, remainingBalance, ...counting } = pool
  expect(toText(sentenceOf({ ...campaign, maxParticipants: '0' }, counting as Incentive))).toContain(
    '; 2 ASSET of 2.012 ASSET left, for 20 claims.',
  )
})

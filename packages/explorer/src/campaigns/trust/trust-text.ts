import type { Campaign, ChainStatus } from 'reward-campaigns-client'
import { seenContract } from '../../recorded-contracts.ts'
import { ZERO_ADDRESS } from '../../texts/zero-address.ts'
import { dollarsAt } from '../incentives/dollars.ts'
import { type Asset, type Budget, budgetOf, type Rewarding } from '../incentives/incentive-budget.ts'
import { isForList } from '../incentives/incentive-sentences.ts'
import { isFunded, traitsOf } from '../incentives/incentive-variants.ts'
import { counted, type Sentence } from '../prose.ts'
import type { TokenRecords } from '../tokens/token-records.ts'

/** What speaks for a campaign, what against it, and what is to be known of it. */
export interface TrustFact {
  kind: 'good' | 'warning' | 'neutral'
  sentence: Sentence
}

/** What the lines and sentences that are shown at once leave out. @param now when all of it was said. */
export const trustFacts = (campaign: Campaign & Rewarding, chains: readonly ChainStatus[], now: Date): TrustFact[] => [
  ...signerFact(campaign),
  ...sourceFact(campaign, chains),
  { kind: 'neutral', sentence: ['Deployed ', { instant: toIso(campaign.blockTimestamp) }, '.'] },
  endFact(campaign, now),
]

/** The three things to know first, a short line each: whether the token is known, what is left, and who validates. */
export const trustLines = (
  campaign: Campaign & Rewarding,
  tokens: TokenRecords,
  chains: readonly ChainStatus[],
): TrustFact[] => [
  ...tokenLine(campaign, tokens),
  { kind: 'neutral', sentence: fundsOf(campaign, chains) },
  validatorLine(campaign),
]

/** What else is decisive: one sentence each. */
export function trustVerdict(campaign: Campaign & Rewarding, tokens: TokenRecords, now: Date): Sentence[] {
  const { startTime, endTime, isActive } = campaign
  if (endTime !== null && new Date(endTime) <= now) {
    return [['It ended ', { instant: endTime }, ': what you do now earns nothing.']]
  }
  if (startTime !== null && new Date(startTime) > now) {
    return [['It has not started: it starts ', { instant: startTime }, '.'], ...doubtsOf(campaign, tokens)]
  }
  if (!isActive) return [['Nothing more can be claimed of it.']]
  return doubtsOf(campaign, tokens)
}

function tokenLine(campaign: Campaign, tokens: TokenRecords): TrustFact[] {
  const { chainId } = campaign
  const paid = paidBy(campaign).map((address) => ({ address, token: tokens.get(`${chainId}:${address}`) }))
  if (paid.length === 0) return []
  const others = paid.length - MAX_AMOUNTS
  return [
    {
      kind: paid.every(({ token }) => token?.whitelisted === true) ? 'good' : 'warning',
      sentence: [
        paid.length === 1 ? 'Token: ' : 'Tokens: ',
        ...paid.slice(0, MAX_AMOUNTS).flatMap(({ address, token }, index): Sentence => {
          const status = token === undefined ? 'unknown' : token.whitelisted ? 'known' : 'not a known one'
          return [...(index === 0 ? [] : ['; ']), { asset: { chainId, address, token } }, `, ${status}`]
        }),
        ...(others > 0 ? [` and ${counted(others, 'more token')}`] : []),
      ],
    },
  ]
}

function validatorLine(campaign: Campaign): TrustFact {
  const { validator, chainId } = campaign
  if (isEarnedOverTime(campaign)) return { kind: 'neutral', sentence: ['Validator: not needed, claims take a proof'] }
  if (validator === ZERO_ADDRESS) return { kind: 'warning', sentence: ['Validator: none is recorded'] }
  const name = seenContract(String(chainId), validator)
  return {
    kind: 'neutral',
    sentence: ['Validator: ', name === undefined ? 'unnamed contract' : { name }, ' ', { address: validator, chainId }],
  }
}

/** How many tokens are named with what is left of each. */
const MAX_AMOUNTS = 3

/** What is left to claim; whether a chain says so. */
function fundsOf(campaign: Campaign & Rewarding, chains: readonly ChainStatus[]): Sentence {
  const { availableBudgetUsd } = campaign
  const budgets = campaign.incentives.filter(isFunded).map((incentive) => budgetOf(campaign, incentive))
  if (budgets.length === 0) return ['It pays no token: what its reward is worth is unknown']
  const isRead = blockOf(campaign, chains) !== undefined
  const source = isRead ? '' : ' (imported data, not checked on chain)'
  if (budgets.every(({ left }) => left === 0n)) return ['Empty: nothing is left to claim', source]
  if (budgets.some(({ left }) => left === undefined)) {
    if (availableBudgetUsd === null) return ['How much is left to claim is unknown']
    return ['Funded: ', { usd: availableBudgetUsd }, ' left', source]
  }
  return ['Funded: ', ...amountsOf(budgets, availableBudgetUsd), source]
}

/** The block that the funds are read as of. */
const blockOf = ({ chainId }: Campaign, chains: readonly ChainStatus[]) =>
  chains.find((chain) => chain.chainId === chainId)?.asOfBlock ?? undefined

function sourceFact(campaign: Campaign & Rewarding, chains: readonly ChainStatus[]): TrustFact[] {
  const asOfBlock = blockOf(campaign, chains)
  if (asOfBlock === undefined || !campaign.incentives.some(isFunded)) return []
  const { chainId } = campaign
  return [
    {
      kind: 'neutral',
      sentence: ['What is left is read from ', { chainId }, ' as of block ', { count: asOfBlock }, '.'],
    },
  ]
}

/** The sum of what is left of each token, with its dollars; of those without a price where others have one, that they have none. */
function amountsOf(budgets: readonly Budget[], usd: string | null): Sentence {
  const sums = new Map<string, { amount: bigint; of: Asset }>()
  for (const { asset, left = 0n } of budgets) {
    sums.set(asset.address, { amount: (sums.get(asset.address)?.amount ?? 0n) + left, of: asset })
  }
  const amounts = [...sums.values()].map((sum) => ({ sum, usd: sums.size === 1 ? usd : inDollars(sum) }))
  const isPriced = amounts.some(({ usd }) => usd !== null)
  const shown = amounts.filter(({ usd, sum }) => usd !== null || !isPriced || sum.of.token?.priceUsd !== null)
  const others = shown.length - MAX_AMOUNTS
  return [
    ...shown
      .slice(0, MAX_AMOUNTS)
      .flatMap(
        ({ sum, usd }, index): Sentence => [
          ...(index === 0 ? [] : [' and ']),
          sum,
          ...(usd === null ? [] : [' (', { usd }, ')']),
        ],
      ),
    ...(others > 0 ? [` and ${counted(others, 'more token')}`] : []),
    ' left',
    ...unpriced(amounts.flatMap(({ sum: { of } }) => (of.token?.priceUsd === null ? [of] : []))),
  ]
}

/** By the price of now; null without one. */
function inDollars({ amount, of: { token } }: { amount: bigint; of: Asset }): string | null {
  return token?.priceUsd == null ? null : dollarsAt(token.priceUsd, token.decimals, amount)
}

function unpriced(assets: readonly Asset[]): Sentence {
  if (assets.length === 0) return []
  const names = assets.slice(0, MAX_AMOUNTS)
  const others = assets.length - MAX_AMOUNTS
  return [
    '; ',
    ...names.flatMap((asset, index): Sentence => [...(index === 0 ? [] : [' and ']), { asset }]),
    ...(others > 0 ? [` and ${others} more`] : []),
    assets.length === 1 ? ' has no price' : ' have no price',
  ]
}

/** What nobody can be sure of. */
function doubtsOf(campaign: Campaign & Rewarding, tokens: TokenRecords): Sentence[] {
  const { chainId, incentives, allowList } = campaign
  const paid = paidBy(campaign)
  const unknown = paid.filter((address) => tokens.get(`${chainId}:${address}`)?.whitelisted !== true).length
  return [
    ...(unknown === 0 ? [] : [[tokenDoubt(unknown, paid.length)]]),
    ...(isForList(allowList.type) ? [['Only accounts on a list may claim.']] : []),
    ...(incentives.length === 0 ? [] : [[confirmationDoubt(campaign)]]),
  ]
}

function confirmationDoubt(campaign: Campaign): string {
  if (isEarnedOverTime(campaign)) return 'Not certain: how much an account earns, which terms decide that no chain has.'
  return campaign.validator === ZERO_ADDRESS
    ? 'No validator is recorded: it is unknown whether claims can be confirmed.'
    : 'Not certain: that the signer confirms what you did. Without that, nothing is paid.'
}

function tokenDoubt(unknown: number, paid: number): string {
  const which =
    unknown < paid
      ? `${unknown} of its ${paid} reward tokens ${unknown === 1 ? 'is' : 'are'}`
      : paid === 1
        ? 'Its reward token is'
        : 'Its reward tokens are'
  return `${which} not on the list of known tokens: treat ${unknown === 1 ? 'its' : 'their'} value as nothing.`
}

const isEarnedOverTime = ({ incentives }: Pick<Campaign, 'incentives'>) =>
  incentives.length > 0 && incentives.every(({ type }) => traitsOf(type)?.reward === 'proof')

/** Addresses of the tokens that are paid. */
const paidBy = ({ incentives }: Pick<Campaign, 'incentives'>) => [
  ...new Set(incentives.flatMap((incentive) => (isFunded(incentive) ? [incentive.asset] : []))),
]

function signerFact(campaign: Campaign): TrustFact[] {
  const { validator, chainId } = campaign
  if (isEarnedOverTime(campaign) || validator === ZERO_ADDRESS) return []
  return [
    {
      kind: 'neutral',
      sentence: [
        'You can claim once a signer has confirmed what you did: the validator ',
        { address: validator, chainId },
        ' checks the signature.',
      ],
    },
  ]
}

function endFact({ endTime }: Campaign, now: Date): TrustFact {
  if (endTime === null) return { kind: 'neutral', sentence: ['No end date.'] }
  const hasEnded = new Date(endTime) <= now
  return {
    kind: hasEnded ? 'warning' : 'neutral',
    sentence: [hasEnded ? 'Ended ' : 'Ends ', { instant: endTime }, '.'],
  }
}

const toIso = (unixSeconds: string) => new Date(Number(unixSeconds) * 1000).toISOString()

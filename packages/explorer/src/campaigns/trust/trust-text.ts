import type { Campaign, ChainStatus } from 'reward-campaigns-client'
import { ZERO_ADDRESS } from '../../texts/zero-address.ts'
import { type Asset, type Budget, budgetOf, type Rewarding } from '../incentives/incentive-budget.ts'
import { isForList, receiversOf } from '../incentives/incentive-sentences.ts'
import { isFunded, traitsOf } from '../incentives/incentive-variants.ts'
import { counted, countedIn, type Sentence } from '../prose.ts'
import type { TokenRecords } from '../tokens/token-records.ts'

/** What speaks for a campaign, what against it, and what is to be known of it. */
export interface TrustFact {
  kind: 'good' | 'warning' | 'neutral'
  sentence: Sentence
}

/** Whether to trust a campaign, besides its funds: one sentence for each reason. @param now when all of it was said. */
export const trustFacts = (campaign: Campaign & Rewarding, tokens: TokenRecords, now: Date): TrustFact[] => [
  ...tokenFacts(campaign, tokens),
  ...receiverFacts(campaign),
  validatorFact(campaign),
  { kind: 'neutral', sentence: ['Deployed ', { instant: toIso(campaign.blockTimestamp) }, '.'] },
  endFact(campaign, now),
]

/** What is known for certain and what is not, the most decisive first: one sentence each. */
export function trustVerdict(
  campaign: Campaign & Rewarding,
  tokens: TokenRecords,
  chains: readonly ChainStatus[],
  now: Date,
): [Sentence, ...Sentence[]] {
  const { startTime, endTime, isActive } = campaign
  const funds = fundsOf(campaign, chains)
  if (endTime !== null && new Date(endTime) <= now) {
    return [['It ended ', { instant: endTime }, ': what you do now earns nothing.'], funds]
  }
  if (startTime !== null && new Date(startTime) > now) {
    return [['It has not started: it starts ', { instant: startTime }, '.'], funds, ...doubtsOf(campaign, tokens)]
  }
  if (!isActive) return [['Nothing more can be claimed of it.'], funds]
  return [funds, ...doubtsOf(campaign, tokens)]
}

/** How many tokens are named with what is left of each. */
const MAX_AMOUNTS = 3

/** What is left to claim, and how that is known. */
function fundsOf(campaign: Campaign & Rewarding, chains: readonly ChainStatus[]): Sentence {
  const { chainId, availableBudgetUsd } = campaign
  const budgets = campaign.incentives.filter(isFunded).map((incentive) => budgetOf(campaign, incentive))
  if (budgets.length === 0) return ['It pays no token: what its reward is worth is unknown.']
  const asOfBlock = chains.find((chain) => chain.chainId === chainId)?.asOfBlock
  const source: Sentence =
    asOfBlock == null ? [] : [', as read from ', { chainId }, ' as of block ', { count: asOfBlock }]
  const start = asOfBlock == null ? 'Not checked on chain: imported data has ' : 'Funded: '
  if (budgets.every(({ left }) => left === 0n)) {
    return asOfBlock == null ? [start, 'nothing left to claim.'] : ['Empty: nothing is left to claim', ...source, '.']
  }
  if (budgets.some(({ left }) => left === undefined)) {
    if (availableBudgetUsd === null) return ['How much is left to claim is unknown.']
    return [start, { usd: availableBudgetUsd }, ' left to claim', ...source, '.']
  }
  return [start, ...amountsOf(budgets), ...inDollars(availableBudgetUsd), ' left to claim', ...source, '.']
}

const inDollars = (usd: string | null): Sentence => (usd === null ? [] : [' (', { usd }, ')'])

/** The sum of what is left of each token. */
function amountsOf(budgets: readonly Budget[]): Sentence {
  const sums = new Map<string, { amount: bigint; of: Asset }>()
  for (const { asset, left = 0n } of budgets) {
    sums.set(asset.address, { amount: (sums.get(asset.address)?.amount ?? 0n) + left, of: asset })
  }
  const amounts = [...sums.values()]
  const others = amounts.length - MAX_AMOUNTS
  return [
    ...amounts.slice(0, MAX_AMOUNTS).flatMap((amount, index) => (index === 0 ? [amount] : [' and ', amount])),
    ...(others > 0 ? [` and ${counted(others, 'more token')}`] : []),
  ]
}

/** What nobody can be sure of. */
function doubtsOf(campaign: Campaign & Rewarding, tokens: TokenRecords): Sentence[] {
  const { chainId, incentives, availableBudgetUsd, allowList } = campaign
  const paid = paidBy(campaign)
  const unknown = paid.filter((address) => tokens.get(`${chainId}:${address}`)?.whitelisted !== true).length
  return [
    ...(unknown === 0 && paid.length > 0 && availableBudgetUsd === null
      ? [['What that is worth in dollars is unknown.']]
      : []),
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

/** A fact for each token that is paid, known ones first. */
function tokenFacts(campaign: Campaign, tokens: TokenRecords): TrustFact[] {
  const { chainId } = campaign
  return paidBy(campaign)
    .map((address): TrustFact => {
      const token = tokens.get(`${chainId}:${address}`)
      const asset = { asset: { chainId, address, token } }
      if (token?.whitelisted === true) return { kind: 'good', sentence: ['Pays ', asset, ', a known token.'] }
      return {
        kind: 'warning',
        sentence: [
          'Pays ',
          asset,
          token === undefined
            ? ', a token that is unknown here.'
            : ', which is not on the list of known tokens: anyone can call a token so.',
        ],
      }
    })
    .toSorted((one, other) => Number(one.kind === 'warning') - Number(other.kind === 'warning'))
}

/** Who does what is asked without being on the list is not paid. */
const receiverFacts = (campaign: Campaign): TrustFact[] =>
  isForList(campaign.allowList.type)
    ? [{ kind: 'warning', sentence: ['May be claimed by ', ...receiversOf(campaign), '.'] }]
    : []

function validatorFact(campaign: Campaign): TrustFact {
  const { validator, chainId } = campaign
  if (isEarnedOverTime(campaign)) {
    return { kind: 'neutral', sentence: ['Claims need a proof of what the account has earned.'] }
  }
  return validator === ZERO_ADDRESS
    ? { kind: 'warning', sentence: ['No validator is recorded.'] }
    : {
        kind: 'neutral',
        sentence: [
          'You can claim once a signer has confirmed what you did: the validator ',
          { address: validator, chainId },
          ' checks the signature.',
        ],
      }
}

function endFact({ endTime, maxParticipants }: Campaign, now: Date): TrustFact {
  const limit: Sentence =
    maxParticipants === '0' ? [] : [', for at most ', ...countedIn(maxParticipants, 'person', 'people')]
  if (endTime === null) return { kind: 'neutral', sentence: ['No end date', ...limit, '.'] }
  const hasEnded = new Date(endTime) <= now
  return {
    kind: hasEnded ? 'warning' : 'neutral',
    sentence: [hasEnded ? 'Ended ' : 'Ends ', { instant: endTime }, ...limit, '.'],
  }
}

const toIso = (unixSeconds: string) => new Date(Number(unixSeconds) * 1000).toISOString()

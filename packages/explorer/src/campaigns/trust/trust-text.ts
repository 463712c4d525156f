import type { Campaign, ChainStatus } from 'reward-campaigns-client'
import { ZERO_ADDRESS } from '../../texts/zero-address.ts'
import type { Rewarding } from '../incentives/incentive-budget.ts'
import { isForList, receiversOf } from '../incentives/incentive-sentences.ts'
import { isFunded, variantOf } from '../incentives/incentive-variants.ts'
import { counted, countedIn, type Sentence } from '../prose.ts'
import type { TokenRecords } from '../tokens/token-records.ts'

/** What speaks for a campaign, what against it, and what is to be known of it. */
export interface TrustFact {
  kind: 'good' | 'warning' | 'neutral'
  sentence: Sentence
}

/**
 * Whether to trust a campaign, one sentence for each reason.
 *
 * @param chains the chains that are indexed. @param now when all of it was said.
 */
export const trustFacts = (
  campaign: Campaign & Rewarding,
  tokens: TokenRecords,
  chains: readonly ChainStatus[],
  now: Date,
): TrustFact[] => [
  ...tokenFacts(campaign, tokens),
  ...fundingFacts(campaign, chains),
  ...receiverFacts(campaign),
  validatorFact(campaign),
  { kind: 'neutral', sentence: ['Deployed ', { instant: toIso(campaign.blockTimestamp) }, '.'] },
  endFact(campaign, now),
]

/**
 * What the facts come to, in a sentence.
 *
 * @param isRead whether the chain of the campaign is read here.
 */
export function trustVerdict(facts: readonly TrustFact[], isRead: boolean): string {
  const warnings = facts.filter(({ kind }) => kind === 'warning').length
  if (warnings > 0) return `${counted(warnings, 'thing')} to take care of.`
  return isRead
    ? 'Nothing speaks against it.'
    : 'Nothing speaks against it, but nothing was checked on chain: its data was imported.'
}

export const isRead = ({ chainId }: Pick<Campaign, 'chainId'>, chains: readonly ChainStatus[]) =>
  chains.some((chain) => chain.chainId === chainId && chain.asOfBlock !== null)

/** A fact for each token that is paid, known ones first. */
function tokenFacts({ chainId, incentives }: Campaign, tokens: TokenRecords): TrustFact[] {
  const paid = [...new Set(incentives.flatMap((incentive) => (isFunded(incentive) ? [incentive.asset] : [])))]
  return paid
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

function fundingFacts({ chainId, incentives, availableBudgetUsd, isActive }: Campaign, chains: readonly ChainStatus[]) {
  if (!incentives.some(isFunded)) return []
  const asOfBlock = chains.find((chain) => chain.chainId === chainId)?.asOfBlock
  const left: Sentence =
    availableBudgetUsd === null
      ? ['What is left to claim has no known value in dollars']
      : [{ usd: availableBudgetUsd }, ' left to claim']
  const source: Sentence =
    asOfBlock == null
      ? [', according to imported data, not checked on chain.']
      : [', as read from ', { chainId }, ', as of block ', { count: asOfBlock }, '.']
  const kind: TrustFact['kind'] = asOfBlock == null || !isActive ? 'neutral' : 'good'
  return [{ kind, sentence: [...left, ...source] }]
}

/** Who does what is asked without being on the list is not paid. */
const receiverFacts = (campaign: Campaign): TrustFact[] =>
  isForList(campaign.allowList.type)
    ? [{ kind: 'warning', sentence: ['May be claimed by ', ...receiversOf(campaign), '.'] }]
    : []

function validatorFact({ validator, chainId, incentives }: Campaign): TrustFact {
  if (incentives.length > 0 && incentives.every(({ type }) => variantOf(type)?.isEarnedOverTime)) {
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

import type { Campaign, ChainStatus } from 'reward-campaigns-client'
import { ZERO_ADDRESS } from '../../texts/zero-address.ts'
import type { Rewarding } from '../incentives/incentive-budget.ts'
import { isFunded, variantOf } from '../incentives/incentive-variants.ts'
import { countedIn, type Sentence } from '../prose.ts'
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
  validatorFact(campaign),
  { kind: 'neutral', sentence: ['On chain since ', { instant: toIso(campaign.blockTimestamp) }, '.'] },
  endFact(campaign, now),
]

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
    availableBudgetUsd === null ? ['Its budget is known'] : [{ usd: availableBudgetUsd }, ' left to claim']
  const source: Sentence =
    asOfBlock == null
      ? [', according to imported data: this chain is not indexed here.']
      : [', as read from ', { chainId }, ', as of block ', { count: asOfBlock }, '.']
  const kind: TrustFact['kind'] = asOfBlock == null || !isActive ? 'neutral' : 'good'
  return [{ kind, sentence: [...left, ...source] }]
}

function validatorFact({ validator, chainId, incentives }: Campaign): TrustFact {
  if (incentives.length > 0 && incentives.every(({ type }) => variantOf(type)?.isEarnedOverTime)) {
    return { kind: 'neutral', sentence: ['Claims need a proof of what the account has earned.'] }
  }
  return validator === ZERO_ADDRESS
    ? { kind: 'warning', sentence: ['No validator is recorded.'] }
    : {
        kind: 'neutral',
        sentence: ['Claims need a signature that ', { address: validator, chainId }, ' accepts: the validator.'],
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

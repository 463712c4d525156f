import type { Campaign as CampaignDetail, Incentive, TokenIncentive } from 'reward-campaigns-client'
import { counted, countedIn, type Sentence } from '../prose.ts'
import { assetOf, budgetOf, claimLimitOf, isRaffle, type Rewarding } from './incentive-budget.ts'
import { isFunded, traitsOf } from './incentive-variants.ts'
import { payoutOf } from './incentive-words.ts'

type Campaign = CampaignDetail & Rewarding

/** An incentive in one sentence: what is paid, to whom, and how much is left. Until when, its campaign says. */
export const sentenceOf = (campaign: Campaign, incentive: Incentive): Sentence => [
  ...payoutOf(campaign, incentive),
  ...movedBy(campaign, incentive),
  ', to ',
  ...receiversOf(campaign),
  '; ',
  ...leftOf(campaign, incentive),
  '.',
]

/** How the reward moves, where it does. */
function movedBy(campaign: Campaign, incentive: Incentive): Sentence {
  if (!('rewardDecay' in incentive)) return []
  const of = assetOf(campaign, incentive.asset)
  return [
    ', falls by ',
    { amount: BigInt(incentive.rewardDecay), of },
    ' with each claim and rises by ',
    { amount: BigInt(incentive.rewardBoost), of },
    ' for each hour without one',
  ]
}

/** Whether only accounts may claim that are on a list. */
export const isForList = (type: CampaignDetail['allowList']['type'] | undefined) =>
  type === 'SimpleAllowList' || type === 'OffchainAccessList'

/** Who may claim: anyone who does what is asked, as far as the allow list admits them. */
export function receiversOf({ allowList }: Pick<Campaign, 'allowList'>): Sentence {
  const count = allowList.addresses.length
  switch (allowList.type) {
    case 'OpenAllowList':
      return ['anybody']
    case 'SimpleAllowList':
      return count === 0
        ? ['nobody, because no address on its allow list is recorded']
        : [`the ${counted(count, 'address', 'addresses')} on its allow list`]
    case 'SimpleDenyList':
      return count === 0 ? ['anybody'] : [`anybody but the ${counted(count, 'address', 'addresses')} on its deny list`]
    case 'OffchainAccessList':
      return ['the members of an access list of the service']
  }
}

/** What its newest root owes, and until when it is paid. */
function owedIn(
  campaign: Campaign,
  { asset, committed, claimUntil }: Extract<TokenIncentive, { claimUntil: string }>,
): Sentence {
  const owed: Sentence =
    committed === undefined ? [] : [', ', { amount: BigInt(committed), of: assetOf(campaign, asset) }, ' earned so far']
  return [...owed, ', claimable until ', { instant: claimUntil }]
}

function leftOf(campaign: Campaign, incentive: Incentive): Sentence {
  if (!isFunded(incentive)) {
    return traitsOf(incentive.type)?.reward === 'none'
      ? ['at most ', ...countedIn(incentive.limit, 'user'), ' in all']
      : ['at most ', ...countedIn(incentive.limit, 'claim'), ' in all']
  }
  const { asset: of, left, total } = budgetOf(campaign, incentive)
  if (left === undefined) return ['its budget is ', { amount: total, of }, '; how much of it is left is unknown']
  const amounts: Sentence = [{ amount: left, of }, ' of ', { amount: total, of }, ' left']
  if ('claimUntil' in incentive) return [...amounts, ...owedIn(campaign, incentive)]
  const claims = claimLimitOf(incentive)?.left
  if (claims === undefined) return amounts
  return [
    ...amounts,
    ...(isRaffle(incentive)
      ? [', ', ...countedIn(String(claims), 'more entry', 'more entries'), ' possible']
      : [', for ', ...claimsIn(claims, campaign)]),
  ]
}

/** How many claims are left, or how many people may claim where those are fewer: nobody claims it twice. */
const claimsIn = (left: bigint, { maxParticipants }: Campaign): Sentence =>
  maxParticipants !== '0' && BigInt(maxParticipants) < left
    ? ['at most ', ...countedIn(maxParticipants, 'person', 'people')]
    : countedIn(String(left), 'claim')

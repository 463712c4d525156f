import type { incentiveTraits } from './incentive-traits.ts'
import type { components, operations, paths } from './openapi.ts'

/*
 * What the OpenAPI document says, under names that are handy. Whatever is not exhaustive here does not compile once the
 * document has more.
 */

/** Those that respond with JSON: exports are long texts, read with `fetch`, and a webhook is received. */
type OperationId = {
  [Id in keyof operations]: operations[Id] extends { responses: { 200: { content: { 'application/json': unknown } } } }
    ? Id
    : never
}[keyof operations]

/** What an operation may be asked. */
export type Query<Id extends OperationId> = NonNullable<operations[Id]['parameters']['query']>

/** What an operation answers. */
export type ResponseOf<Id extends OperationId> = operations[Id]['responses'][200]['content']['application/json']

type Schemas = components['schemas']

export type Incentive = Schemas['Incentive']
export type IncentiveType = Incentive['type']
/** One variant of the incentives: `IncentiveOf<'CGDAIncentive'>`. */
export type IncentiveOf<Type extends IncentiveType> = Extract<Incentive, { type: Type }>
/** An incentive that pays a token, that in its field `asset`. */
export type TokenIncentive = IncentiveOf<
  {
    [Type in IncentiveType]: (typeof incentiveTraits)[Type]['paysToken'] extends true ? Type : never
  }[IncentiveType]
>
export type Campaign = Schemas['CampaignDetail']
export type CampaignListItem = Schemas['CampaignListItem']
export type TrendingCampaign = Schemas['TrendingCampaign']
export type ExploredContract = Schemas['ExploredContract']
export type CampaignActivity = Schemas['CampaignActivity']
export type AccessListItem = Schemas['AccessListItem']
export type UserProfile = Schemas['UserProfile']
export type ChainStatus = Schemas['ChainStatus']
export type Claim = Schemas['Claim']
export type ClaimTransactions = Schemas['ClaimTransactions']
export type CampaignEligibility = Schemas['CampaignEligibility']
export type IncentiveEligibility = Schemas['IncentiveEligibility']
export type ClaimReason = Schemas['ClaimReason']
export type Verdict = Schemas['Verdict']
export type CampaignOutlook = Schemas['CampaignOutlook']
export type IncentiveOutlook = Schemas['IncentiveOutlook']
export type Reward = Schemas['Reward']
export type Change = Schemas['Change']
export type TokenMetadata = Schemas['TokenMetadata']

/** Every operation as a function; what it is asked differs. */
export type Operations = { [Id in OperationId]: (...parameters: never[]) => Promise<ResponseOf<Id>> }

/**
 * How each path is asked: `facts` come from chains and can be waited for by block, `status` is about the service,
 * `protected` ones need a token and have a base address of their own.
 */
const KINDS: { readonly [Path in keyof paths]: 'facts' | 'status' | 'protected' } = {
  '/campaigns': 'facts',
  '/campaigns/{id}': 'facts',
  '/reward-kit/trending': 'facts',
  '/explore/contracts': 'facts',
  '/activity': 'facts',
  '/outlook': 'facts',
  '/prices': 'facts',
  '/claims': 'facts',
  '/eligibility': 'facts',
  '/users/{address}/rewards': 'facts',
  '/tokens': 'facts',
  '/changes': 'status',
  '/export/campaigns': 'status',
  '/export/claims': 'status',
  '/export/tokens': 'status',
  '/export/prices': 'status',
  '/status': 'status',
  '/limits': 'status',
  '/campaigns/accesslists': 'protected',
  '/users/profile': 'protected',
}

export const kindOf = (path: string) => KINDS[path as keyof paths]

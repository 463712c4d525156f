import { type Static, Type } from '@sinclair/typebox'
import {
  type CampaignListItem,
  type Incentive,
  type IncentiveType,
  type ResponseOf,
  type TokenIncentive,
  toTokens,
} from 'reward-campaigns-client'
import { incentiveTraits } from '../../client/src/incentive-traits.ts'
import type { Get } from './operations.ts'
import { shorten } from './tool.ts'

/*
 * What incentives pay, in words and in amounts: exact, and in whole tokens where the token is known.
 */

/** An amount as a tool gives it. What its parts are, agents are told once (`INSTRUCTIONS`): the list of tools is long. */
export const amount = (description: string) =>
  Type.Object(
    { baseUnits: Type.String(), tokens: Type.Optional(Type.String()) },
    { additionalProperties: false, description },
  )

export const IncentiveSummary = Type.Object(
  {
    type: Type.String({ description: 'Variant of the incentive.' }),
    pays: Type.String({ description: 'What it pays, in words.' }),
    asset: Type.Optional(Type.String({ description: 'Token that it pays, as `<chain>:<address>`.' })),
    reward: Type.Optional(amount('Fixed reward, or the first one of an auction; of a pegged incentive in its peg.')),
    maxReward: Type.Optional(amount('Maximum of one claim; of a pegged incentive in its peg.')),
    left: Type.Optional(amount('What claims can still get.')),
    claimed: Type.Optional(amount('What claims have got.')),
    claims: Type.Optional(Type.String({ description: 'Number of claims so far.' })),
    claimsLeft: Type.Optional(Type.String({ description: 'Number of claims that remain.' })),
  },
  { additionalProperties: false },
)
type IncentiveSummary = Static<typeof IncentiveSummary>

/** Whether an incentive of this type pays a token. */
export const paysToken = (type: IncentiveType) => incentiveTraits[type].paysToken

const isTokenIncentive = (incentive: Incentive): incentive is TokenIncentive => paysToken(incentive.type)

const POOL = 0
const RAFFLE = 1

const isRaffle = (incentive: Incentive) => 'strategy' in incentive && incentive.strategy === RAFFLE

/** Whether every claim is worth the same: not of shares, auctions and raffles. */
export const isFixed = (incentive: Incentive) =>
  incentiveTraits[incentive.type].reward === 'fixed' && (!('strategy' in incentive) || incentive.strategy === POOL)

type Amount = Static<ReturnType<typeof amount>>

export type Token = { decimals: number; symbol: string } | null | undefined

/** What is known of a token, by its chain and address. */
export type Tokens = (chainId: number, address: string) => Token

/** An amount, exact and in whole tokens. */
export const toAmount = (baseUnits: string, token: Token): Amount => ({
  baseUnits,
  ...(token ? { tokens: `${toTokens(baseUnits, token.decimals)} ${shorten(token.symbol)}` } : {}),
})

const NATIVE_TOKEN = '0x0000000000000000000000000000000000000000'

/** Tokens that one request may name. */
const MAX_TOKENS = 100

/** The tokens of campaigns. Those of which a list has no metadata (of auctions, and pegs) are requested. */
export async function readTokens(
  get: Get,
  campaigns: Pick<CampaignListItem, 'chainId' | 'incentives'>[],
): Promise<Tokens> {
  const known = new Map<string, Token>()
  const missing = new Set<string>()
  for (const { chainId, incentives } of campaigns) {
    for (const incentive of incentives) {
      if ('metadata' in incentive && incentive.metadata) known.set(incentive.metadata.id, incentive.metadata)
      if (isTokenIncentive(incentive) && !('metadata' in incentive)) missing.add(`${chainId}:${incentive.asset}`)
      if ('peg' in incentive) missing.add(`${chainId}:${incentive.peg}`)
    }
  }
  const token = [...missing].filter((id) => !known.has(id)).slice(0, MAX_TOKENS)
  if (token.length > 0) {
    const { tokens } = await get<ResponseOf<'listTokens'>>('/tokens', { token, pageSize: MAX_TOKENS })
    for (const one of tokens) known.set(one.id, one)
  }
  return (chainId, address) => {
    const native = address === NATIVE_TOKEN ? { decimals: 18, symbol: 'of the native token' } : undefined
    return known.get(`${chainId}:${address}`) ?? native
  }
}

/** Campaigns by their IDs, as far as it takes to say what their incentives pay, and the tokens of these. */
export async function readIncentives(get: Get, campaignId: string[]) {
  const { campaigns } = await get<ResponseOf<'listCampaigns'>>('/campaigns', {
    campaignId,
    tokenWhitelist: false,
    pageSize: campaignId.length,
    fields: ['id', 'chainId', 'incentives'],
  })
  const byId = new Map(campaigns.map((campaign) => [campaign.id, campaign]))
  return { byId, tokens: await readTokens(get, campaigns) }
}

const subtract = (from: string, amount: string) => {
  const left = BigInt(from) - BigInt(amount)
  return String(left < 0n ? 0n : left)
}

/** An incentive as a list of campaigns has it: without its index in the campaign, which lists do not say. */
export function summarizeIncentive(
  incentive: Incentive,
  { chainId, tokens }: { chainId: number; tokens: Tokens },
): IncentiveSummary {
  const { type } = incentive
  if (!isTokenIncentive(incentive)) return { type, pays: toOtherWords(incentive) }
  const amountOf = (address: string) => (baseUnits: string) => toAmount(baseUnits, tokens(chainId, address))
  const ofAsset = amountOf(incentive.asset)
  const ofReward = 'peg' in incentive ? amountOf(incentive.peg) : ofAsset
  const left = leftOf(incentive)
  return {
    type,
    pays: toWords(incentive, (baseUnits) => ofReward(baseUnits).tokens ?? `${baseUnits} base units`),
    asset: `${chainId}:${incentive.asset}`,
    ...('reward' in incentive && incentiveTraits[type].reward === 'fixed'
      ? { reward: ofReward(incentive.reward) }
      : {}),
    ...('initialReward' in incentive ? { reward: ofAsset(incentive.initialReward) } : {}),
    ...('limit' in incentive && incentiveTraits[type].limit === 'remaining claims'
      ? { claimsLeft: incentive.limit }
      : {}),
    ...('maxReward' in incentive && incentive.maxReward !== '0' ? { maxReward: ofReward(incentive.maxReward) } : {}),
    ...(left === undefined ? {} : { left: ofAsset(left) }),
    ...('totalAmountClaimed' in incentive && incentive.totalAmountClaimed
      ? { claimed: ofAsset(incentive.totalAmountClaimed) }
      : {}),
    ...('totalClaims' in incentive && incentive.totalClaims ? { claims: incentive.totalClaims } : {}),
  }
}

/** What claims can still get, in base units of the asset: what is recorded, else what follows from the record. */
function leftOf(incentive: TokenIncentive) {
  if ('totalBudget' in incentive) return undefined
  if (incentive.remainingBalance) return incentive.remainingBalance
  if (incentiveTraits[incentive.type].limit === 'remaining claims' && 'reward' in incentive) {
    return isRaffle(incentive) ? incentive.reward : String(BigInt(incentive.reward) * BigInt(incentive.limit))
  }
  return subtract(incentive.limit, incentive.totalAmountClaimed || '0')
}

/** The chain writes 100 percent as 10^18. */
const toPercent = (share: string) => `${toTokens(share, 16)} %`

/*
 * Words follow from traits and fields, so that a new variant that pays in a known way needs none of its own. One without the field
 * that its amount is read from does not compile.
 */

const toOtherWords = (incentive: Exclude<Incentive, TokenIncentive>) =>
  'allowListAddress' in incentive
    ? `a place on the allow list ${incentive.allowListAddress}`
    : `${incentive.reward} points for each claim`

function toWords(incentive: TokenIncentive, inTokens: (baseUnits: string) => string): string {
  if ('rewardDecay' in incentive) {
    return (
      `an auction: ${inTokens(incentive.initialReward)} at first, ${inTokens(incentive.rewardDecay)} less after ` +
      `each claim, ${inTokens(incentive.rewardBoost)} more for each hour without one`
    )
  }
  if ('claimUntil' in incentive) {
    const { committed, claimUntil } = incentive
    const earned = committed === undefined ? '' : `, ${inTokens(committed)} so far`
    return `what is earned over time, by terms that no chain has${earned}; claimed with a proof until ${claimUntil}`
  }
  if (incentiveTraits[incentive.type].reward === 'fixed') {
    if ('peg' in incentive) return `the worth of ${inTokens(incentive.reward)} for each claim`
    return `${inTokens(incentive.reward)} ${isRaffle(incentive) ? 'to one claimant, drawn among all' : 'for each claim'}`
  }
  const isOfAction = 'criteria' in incentive
  const paid = isOfAction ? 'the amount of the action' : 'the signed amount'
  const share = incentive.reward === '0' ? 'the signed amount' : `${toPercent(incentive.reward)} of ${paid}`
  return isOfAction && incentive.maxReward !== '0'
    ? `${share}, at most ${inTokens(incentive.maxReward)} a claim`
    : share
}

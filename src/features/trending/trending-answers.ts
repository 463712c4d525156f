import { Big } from 'big.js'
import type { Incentive } from '../../schemas/incentives.ts'
import type { ActionTokenRow, TrendingIncentiveRow, TrendingRow } from './trending-rows.ts'
import type { ActionTokenMetadata, TrendingCampaign, TrendingIncentive } from './trending-schemas.ts'

/** US dollars are rounded once, at the end, half up, to 6 decimals. */
const roundUsd = (exact: Big) => exact.round(6, Big.roundHalfUp).toNumber()

const toUsd = (amount: string, { decimals, priceUsd }: { decimals: number; priceUsd: string }) =>
  roundUsd(new Big(amount).times(priceUsd).times(`1e-${decimals}`))

/** Base units in whole tokens, exact: no exponent, no trailing zeros. */
const toWhole = (amount: string, decimals: number) => new Big(amount).times(`1e-${decimals}`).toFixed()

/** What one claim gets: the most it can get where the action decides; nothing that could be counted on an allow list. */
function rewardAmountOf(incentive: Incentive): string | undefined {
  if ('maxReward' in incentive) return incentive.maxReward
  if ('initialReward' in incentive) return incentive.initialReward
  return 'reward' in incentive ? incentive.reward : undefined
}

/** A scalar of 18 decimals as percent; only the variants whose reward is a scalar have one. */
function rewardPercentageOf(incentive: Incentive): number | undefined {
  const isScalar = incentive.type === 'ERC20VariableIncentive' || 'criteria' in incentive
  return isScalar && incentive.reward !== '0' ? new Big(incentive.reward).times('1e-16').toNumber() : undefined
}

function toTrendingIncentive({ definition, assetAddress, token, unit }: TrendingIncentiveRow): TrendingIncentive {
  const rewardAmount = rewardAmountOf(definition)
  const maxReward = 'maxReward' in definition ? definition.maxReward : undefined
  const rewardPercentage = rewardPercentageOf(definition)
  const price = unit?.priceUsd ? { decimals: unit.decimals, priceUsd: unit.priceUsd } : undefined
  const formatted =
    definition.type === 'PointsIncentive'
      ? definition.reward
      : rewardAmount !== undefined && unit !== null
        ? toWhole(rewardAmount, unit.decimals)
        : undefined
  return withoutUndefined({
    type: definition.type,
    assetAddress,
    rewardAmount,
    rewardAmountFormatted: formatted,
    rewardUsdValue: rewardAmount !== undefined && price ? toUsd(rewardAmount, price) : undefined,
    maxReward,
    maxRewardUsdValue: maxReward !== undefined && price ? toUsd(maxReward, price) : undefined,
    rewardPercentage,
    rebatePercentage: ('rebatePercentage' in definition ? definition.rebatePercentage : undefined) ?? rewardPercentage,
    tokenSymbol: token?.symbol,
    tokenImageUri: token?.imageUri,
    metadata: token,
  })
}

/** Budget and payments of the incentives that pay the asset of the first token incentive, in its base units. */
function toBudget(rows: TrendingIncentiveRow[]) {
  const first = rows.find(({ remainingBudget }) => remainingBudget !== null)
  const same = rows.filter(
    ({ remainingBudget, assetAddress }) => remainingBudget !== null && assetAddress === first?.assetAddress,
  )
  const sum = (amounts: (string | null)[]) => amounts.reduce((total, amount) => total + BigInt(amount ?? 0), 0n)
  const claimed = sum(same.map(({ amountClaimed }) => amountClaimed))
  const remaining = sum(same.map(({ remainingBudget }) => remainingBudget))
  return { totalBudget: String(remaining + claimed), rewardsDistributed: String(claimed) }
}

const toActionTokenMetadata = ({ priceUsd, ...token }: ActionTokenRow): ActionTokenMetadata => ({
  ...token,
  ...(priceUsd === undefined ? {} : { priceUsd: toSignificant(priceUsd) }),
})

const toSignificant = (price: string) => new Big(price).prec(12, Big.roundHalfUp).toNumber()

/** A campaign for whoever asked: status, access and signature are about the user, if one was named. */
export function toTrendingCampaign(row: TrendingRow): TrendingCampaign {
  const signature = row.hasClaimed ? null : row.signature
  const isSwap = row.actionTemplate?.actionType.toLowerCase() === 'swap'
  const incentives = row.incentives ?? []
  return withoutUndefined({
    id: row.id,
    chainId: row.chainId,
    incentives: incentives.map(toTrendingIncentive),
    actionTemplate: row.actionTemplate,
    status: row.hasClaimed ? 'claimed' : signature === null ? 'active' : 'claimable',
    accessStatus: row.accessStatus ?? undefined,
    signature: signature ?? undefined,
    txHash: row.txHash,
    blockTimestamp: String(row.blockTimestamp),
    campaignName: row.campaignName ?? undefined,
    nftImageUri: row.nftImageUri ?? undefined,
    nftName: row.nftName ?? undefined,
    tokenImageUri: row.tokenImageUri ?? undefined,
    projectUrl: row.projectUrl ?? undefined,
    startTime: row.startAt?.toISOString(),
    endTime: row.endAt?.toISOString(),
    verificationLevel: row.verificationLevel ?? undefined,
    claimCount: row.claimCount,
    ...toBudget(incentives),
    usdDistributed24Hr: roundUsd(new Big(row.usdDistributed24Hr)),
    usdDistributed1Hr: roundUsd(new Big(row.usdDistributed1Hr)),
    actionTokenMetadata: isSwap && row.actionToken !== null ? toActionTokenMetadata(row.actionToken) : undefined,
  } as const)
}

type WithoutUndefined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> }

/** What is unknown is absent. */
const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as WithoutUndefined<T>

import { Big } from 'big.js'
import type { Tokens } from '../../database/lookups/token-metadata-cache.ts'
import type { Incentive } from '../../schemas/campaigns/incentives.ts'
import { type createDocumentParser, OPEN } from './trending-documents.ts'
import { assetAddressOf, roundUsd, withoutUndefined } from './trending-incentives.ts'
import type { ActionTokenRow, TrendingRow } from './trending-rows.ts'
import type { ActionTokenMetadata, TrendingCampaign } from './trending-schemas.ts'

/** Budget and payments of the incentives that pay the asset of the first token incentive, in its base units. */
function toBudget(incentives: Incentive[], incentiveFigures: string | null) {
  const figures = incentiveFigures?.split(',') ?? []
  let [asset, claimed, remaining] = ['', 0n, 0n]
  for (const [index, incentive] of incentives.entries()) {
    const [claimedAmount = '', remainingBudget] = figures[index]?.split(' ') ?? []
    if (remainingBudget === undefined) continue
    asset ||= assetAddressOf(incentive)
    if (assetAddressOf(incentive) !== asset) continue
    const recorded = 'totalAmountClaimed' in incentive ? incentive.totalAmountClaimed : OPEN
    claimed += BigInt(recorded === undefined || recorded === OPEN ? claimedAmount : recorded)
    remaining += BigInt(remainingBudget)
  }
  return { totalBudget: String(remaining + claimed), rewardsDistributed: String(claimed) }
}

const toActionTokenMetadata = ({ priceUsd, ...token }: ActionTokenRow): ActionTokenMetadata => ({
  ...token,
  ...(priceUsd === undefined ? {} : { priceUsd: toSignificant(priceUsd) }),
})

const toSignificant = (price: string) => new Big(price).prec(12, Big.roundHalfUp).toNumber()

/** A campaign for a user: status, access and signature are about that user, if one is given. */
export function toTrendingCampaign(
  row: TrendingRow,
  documents: ReturnType<typeof createDocumentParser>,
  tokens: Tokens,
  isForUser: boolean,
): TrendingCampaign {
  const { document, incentives } = documents.show(row.document, row.tokenVersion, tokens)
  const signature = row.hasClaimed ? null : row.signature
  const isSwap = row.actionTemplate?.actionType.toLowerCase() === 'swap'
  return withoutUndefined({
    id: document.id,
    chainId: document.chainId,
    incentives,
    actionTemplate: row.actionTemplate,
    status: row.hasClaimed ? 'claimed' : signature === null ? 'active' : 'claimable',
    // Only campaigns that admit the user are listed.
    accessStatus: isForUser ? 'allowed' : undefined,
    signature: signature ?? undefined,
    txHash: document.txHash,
    blockTimestamp: document.blockTimestamp,
    campaignName: document.campaignName ?? undefined,
    nftImageUri: document.nftImageUri ?? undefined,
    nftName: document.nftName ?? undefined,
    tokenImageUri: document.tokenImageUri ?? undefined,
    projectUrl: row.projectUrl ?? undefined,
    startTime: document.startTime ?? undefined,
    endTime: document.endTime ?? undefined,
    verificationLevel: row.verificationLevel ?? undefined,
    claimCount: row.claimCount,
    ...toBudget(document.incentives, row.incentiveFigures),
    usdDistributed24Hr: roundUsd(new Big(row.usdDistributed24Hr)),
    usdDistributed1Hr: roundUsd(new Big(row.usdDistributed1Hr)),
    actionTokenMetadata: isSwap && row.actionToken !== null ? toActionTokenMetadata(row.actionToken) : undefined,
  } as const)
}

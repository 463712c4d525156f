import { type Cell, toCsv } from '../../http/statements.ts'
import type { Claim } from '../../schemas/campaigns/claims.ts'
import { toWholeAmount } from '../../schemas/campaigns/whole-amounts.ts'
import type { ListClaimsQuery } from './claim-schemas.ts'

/** The columns of a statement of claims, in their order. */
const columns: Record<string, (claim: Claim) => Cell> = {
  at: ({ blockTimestamp }) => new Date(Number(blockTimestamp) * 1000).toISOString(),
  chainId: ({ campaignId }) => campaignId.split(':', 1)[0],
  campaignId: ({ campaignId }) => campaignId,
  campaignName: ({ campaignName }) => campaignName,
  claimant: ({ claimant }) => claimant,
  incentiveIndex: ({ incentiveIndex }) => incentiveIndex,
  incentiveType: ({ incentiveType }) => incentiveType,
  asset: ({ asset }) => asset,
  symbol: ({ metadata }) => metadata?.symbol,
  amount: ({ amount }) => amount,
  amountInTokens: (claim) => toWholeAmount(claim.amount, claim),
  amountUsd: ({ amountUsd }) => amountUsd,
  txHash: ({ txHash }) => txHash,
  logIndex: ({ logIndex }) => logIndex,
}

export const toClaimStatement = (claims: readonly Claim[]) => toCsv(columns, claims)

/** The name of the file: of whom or of what the claims are. */
export function nameOfStatement({ claimant, campaignId }: ListClaimsQuery) {
  const of = claimant ?? (campaignId?.length === 1 ? campaignId[0] : undefined)
  return of === undefined ? 'claims' : `claims-${of}`
}

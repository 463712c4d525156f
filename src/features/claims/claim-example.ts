import { tokenExample } from '../../schemas/campaigns/tokens.ts'
import type { ListClaimsResponse } from './claim-schemas.ts'

export const claimsExample: ListClaimsResponse = {
  claims: [
    {
      campaignId: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1657',
      campaignName: 'Swap on Base',
      incentiveIndex: 0,
      incentiveType: 'ERC20Incentive',
      claimant: '0x1ed08f5f7ed154e19d18f21e6b7f4a8402033aaa',
      asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      amount: '2500000',
      amountUsd: '2.5',
      metadata: tokenExample,
      txHash: '0x2dfc8f4f24b1a3a7ee73ea13b8a20a63fe7457d1c96b95178d3ea4126b6bf5ad',
      logIndex: 12,
      blockTimestamp: '1769860800',
      isFinal: true,
    },
  ],
  nextCursor: 'pm2Gz3nQo1wvMTc2OTg2MDgwMCA4NDUz',
  totalClaims: 37,
}

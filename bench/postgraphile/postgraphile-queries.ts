/*
 * The fields of our responses as a client of PostGraphile would query them. For calculated fields (`isActive`,
 * `availableBudgetUsd`) the query reads their inputs, and the client calculates.
 */

const campaign = `
  rowId action campaignIndex budget owner validator blockTimestamp txHash chainId protocolFee maxParticipants
  campaignName actionTemplateId projectImageUri tokenImageUri nftImageUri nftName startAt endAt isExhausted
  incentivesByCampaignKey(first: 1000) {
    nodes {
      definition claimedAmount claimCount remainingBudget
      tokenByChainIdAndAsset {
        chainId address decimals name symbol imageUri priceUsd marketCap priceChange24Hr volume24Hr holders
      }
    }
  }
  actionStepsByCampaignKey(first: 1000) { nodes { definition } }
  allowListByCampaignKey {
    owner contractAddress type accessListId
    allowListAddressesByCampaignKey(first: 1000) { nodes { address } }
  }`

export const postgraphileQueries = {
  detail: `query Detail($id: String!) {
    campaignByRowId(rowId: $id) {${campaign}
      actionClaimant createdAtBlockchainNumbers templateId nftMetadataId
    }
  }`,
  page: `query Page($budget: String!) {
    allCampaigns(
      first: 10
      condition: { budget: $budget, hasWhitelistedRewards: true }
      orderBy: [BLOCK_TIMESTAMP_DESC, CHAIN_ID_ASC, CORE_ADDRESS_ASC, IDENTIFIER_ASC]
    ) {
      totalCount
      nodes {${campaign}
      }
    }
  }`,
}

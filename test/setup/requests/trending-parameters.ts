/** All that `/reward-kit/trending` takes, but for those that every list takes. */
export const trendingParameters = [
  ...['period', 'budgetAccount', 'owner', 'autocampaignId', 'chainId', 'targetContract', 'tokens'],
  ...['distributionChannel', 'tokenWhitelist', 'creator', 'user', 'includeActionTypes', 'excludeActionTypes'],
  ...['includeTokenMetadata', 'pageSize'],
]

/** Makes the rows of trending campaigns anew, after their totals, records or flags have changed; `keys` is a query of them. */
export const refreshTrendingCampaigns = (keys: string) => `select refresh_trending_campaigns(array(${keys}))`

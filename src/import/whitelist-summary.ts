import type pg from 'pg'

/** What the default `tokenWhitelist` hides of an import. */
export interface WhitelistSummary {
  /** Of the campaigns that the import concerns, how many it hides. */
  hiddenCampaigns: number
  /** Tokens that would have to be known and whitelisted for that, those of the most campaigns first; at most 20. */
  missingTokens: { token: string; campaigns: number }[]
}

/*
 * The import concerns the campaigns of its records and those that its claims and tokens change; others, possibly a
 * million, are not counted.
 */

export const hiddenCampaignsSql = `
  select count(*) from touched_campaigns join campaigns using (key) where not has_whitelisted_rewards`

export const missingTokensSql = `
  select incentives.chain_id || ':' || asset as token, count(distinct key) as campaigns
  from touched_campaigns
  join campaigns using (key)
  join incentives on campaign_key = key
  left join tokens on tokens.chain_id = incentives.chain_id and tokens.address = asset
  where not has_whitelisted_rewards and asset is not null and is_whitelisted is not true
  group by 1 order by 2 desc, 1 limit 20`

/** Runs at the end of an import's transaction, after the derived columns are computed. */
export async function summarizeWhitelist(client: pg.Client): Promise<WhitelistSummary> {
  const hidden = await client.query<{ count: string }>(hiddenCampaignsSql)
  const missing = await client.query<{ token: string; campaigns: string }>(missingTokensSql)
  return {
    hiddenCampaigns: Number(hidden.rows[0]?.count),
    missingTokens: missing.rows.map(({ token, campaigns }) => ({ token, campaigns: Number(campaigns) })),
  }
}

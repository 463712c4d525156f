import { dropUnchangedClaims } from './claim-changes.ts'
import { countForContracts } from './claim-totals.ts'
import type { Step } from './steps.ts'

/** What changes how much a campaign adds to the totals of its contracts. */
const counted: Step['of'] = ['campaign', 'claim', 'withdrawnCampaign', 'withdrawnClaim']

/**
 * Campaigns whose derived columns may change; what they are derived from is read again for each of them. The stored
 * ones come first: what they add to the totals of contracts has to be known before anything changes.
 */
export const markTouchedCampaigns: Step[] = [
  {
    of: ['withdrawnClaim'],
    sql: `insert into touched_campaigns
      select distinct campaign_key, true from withdrawn_claim join claims using (chain_id, tx_hash, log_index)`,
  },
  {
    of: ['withdrawnCampaign'],
    sql: `insert into touched_campaigns
      select key, true from withdrawn_campaign join campaigns using (id) on conflict do nothing`,
  },
  { of: ['claim'], sql: dropUnchangedClaims },
  {
    of: ['claim'],
    sql: `insert into touched_campaigns
      select recorded.campaign_key, true from staged_claim join claims recorded using (chain_id, tx_hash, log_index)
      union
      select campaigns.key, true from staged_claim join campaigns on campaigns.id = campaign_id
      on conflict do nothing`,
    fills: 'touched_campaigns',
  },
  {
    of: ['campaign'],
    sql: `insert into touched_campaigns select campaigns.key, true from staged_campaign join campaigns using (id)
      on conflict do nothing`,
    fills: 'touched_campaigns',
  },
  { of: counted, sql: countForContracts('before') },
  {
    of: ['token'],
    sql: `insert into touched_campaigns
      select distinct incentives.campaign_key, false
      from staged_token token
      left join tokens known using (chain_id, address)
      join incentives on incentives.chain_id = token.chain_id and incentives.asset = token.address
      where token.is_whitelisted is distinct from coalesce(known.is_whitelisted, false)
      on conflict do nothing`,
    fills: 'touched_campaigns',
  },
]

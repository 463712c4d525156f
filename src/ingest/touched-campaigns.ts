import { dropUnchangedClaims } from './claim-changes.ts'
import { countForContracts } from './claim-totals.ts'
import type { Step } from './steps.ts'

/** What changes how much a campaign adds to the totals of its contracts. */
const counted: Step['of'] = ['campaign', 'claim', 'withdrawnCampaign', 'withdrawnClaim']

/** Marks campaigns, those that are marked already aside. `counts`: see the working tables. */
export const touch = (keys: string, counts = true) => `insert into touched_campaigns (key, counts)
  select distinct key, ${counts} from (${keys}) touching
  where not exists (select from touched_campaigns already where already.key = touching.key)`

/**
 * Campaigns whose derived columns may change; what they are derived from is read again for each of them. The stored
 * ones come first: what they add to the totals of contracts has to be known before anything changes.
 */
export const markTouchedCampaigns: Step[] = [
  {
    of: ['withdrawnClaim'],
    sql: touch('select campaign_key as key from withdrawn_claim join claims using (chain_id, tx_hash, log_index)'),
  },
  {
    of: ['withdrawnCampaign'],
    sql: touch('select key from withdrawn_campaign join campaigns using (id)'),
  },
  { of: ['claim'], sql: dropUnchangedClaims },
  {
    of: ['claim'],
    sql: touch(`
      select recorded.campaign_key as key from staged_claim join claims recorded using (chain_id, tx_hash, log_index)
      union all
      select campaigns.key from staged_claim join campaigns on campaigns.id = campaign_id`),
    fills: 'touched_campaigns',
  },
  {
    of: ['campaign'],
    sql: touch('select campaigns.key from staged_campaign join campaigns using (id)'),
    fills: 'touched_campaigns',
  },
  { of: counted, sql: countForContracts('before') },
  {
    of: ['token'],
    sql: touch(
      `select incentives.campaign_key as key
      from staged_token token
      left join tokens known using (chain_id, address)
      join incentives on incentives.chain_id = token.chain_id and incentives.asset = token.address
      where token.is_whitelisted is distinct from coalesce(known.is_whitelisted, false)`,
      false,
    ),
    fills: 'touched_campaigns',
  },
]

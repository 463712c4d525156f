import { countForContracts } from '../read-models/claim-windows/maintain.ts'
import type { Step } from '../read-models/steps.ts'

/** Marks campaigns, those that are marked already aside. `isRecordTouched`: see the working tables. */
export const touch = (keys: string, { isRecordTouched }: { isRecordTouched: boolean }) =>
  `insert into touched_campaigns (key, is_record_touched)
  select distinct key, ${isRecordTouched} from (${keys}) touching
  where not exists (select from touched_campaigns already where already.key = touching.key)`

/**
 * Campaigns whose derived columns may change; what they are derived from is read again for each of them. Those that are
 * stored and replaced or withdrawn come first: what they add to the totals of contracts has to be known before anything
 * changes. Those that are only claimed come with their claims.
 */
export const markTouchedCampaigns: Step[] = [
  {
    of: ['withdrawnCampaign'],
    sql: touch('select key from withdrawn_campaign join campaigns using (id)', { isRecordTouched: true }),
  },
  {
    of: ['campaign'],
    sql: touch('select campaigns.key from staged_campaign join campaigns using (id)', { isRecordTouched: true }),
    fills: 'touched_campaigns',
  },
  { of: ['campaign', 'withdrawnCampaign'], sql: countForContracts('before') },
  {
    of: ['token'],
    sql: touch(
      `select incentives.campaign_key as key
      from staged_token token
      left join tokens known using (chain_id, address)
      join incentives on incentives.chain_id = token.chain_id and incentives.asset = token.address
      where token.is_whitelisted is distinct from coalesce(known.is_whitelisted, false)`,
      { isRecordTouched: false },
    ),
    fills: 'touched_campaigns',
  },
  {
    of: ['actionTemplate'],
    sql: touch(
      `select campaigns.key
      from staged_actiontemplate template
      join action_templates known using (id)
      join campaigns on campaigns.action_template_id = template.id
      where lower(template.action_type) <> lower(known.action_type)`,
      { isRecordTouched: false },
    ),
    fills: 'touched_campaigns',
  },
]

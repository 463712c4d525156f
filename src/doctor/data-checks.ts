import { comparing, type DataCheck, within } from '../database/find-data-differences.ts'
import { examineCampaignIndex } from '../read-models/campaign-index/check.ts'
import { examineChanges } from '../read-models/changes/check.ts'
import { examineClaimHours } from '../read-models/claim-hours/check.ts'
import { examineClaimWindows } from '../read-models/claim-windows/check.ts'
import { examineIncentiveState } from '../read-models/incentive-state/check.ts'
import { examinePrices } from '../read-models/prices/check.ts'

/** What is counted beside the records of lists and profiles. */
const examineListsAndProfiles = comparing({
  'numbers of addresses on lists': (sample) => `
    select (select id from campaigns where key = campaign_key) as what
    from allow_lists stored
    where ${within(sample, 'campaign_key')} and address_count <> (
      select count(*) from allow_list_addresses listed where listed.campaign_key = stored.campaign_key)
    union all
    select 'access list ' || id
    from access_lists stored
    where ${sample === null ? 'true' : `id in (select access_list_id from allow_lists where ${within(sample, 'campaign_key')})`}
      and member_count <> (select count(*) from access_list_members members where members.access_list_id = stored.id)`,
  'numbers of profiles by score': () => `
    select 'profiles of score ' || score_bucket as what
    from (select score_bucket, count(*) as profile_count from profiles group by score_bucket) due
    full join profile_score_counts stored using (score_bucket)
    where stored.profile_count is distinct from due.profile_count`,
})

/** What is stored beside the facts: a check a read model, except `data-version`, which is examined last. */
export const dataChecks: readonly { name: string; examine: DataCheck }[] = [
  { name: 'campaign index', examine: examineCampaignIndex },
  { name: 'prices', examine: examinePrices },
  { name: 'incentive state', examine: examineIncentiveState },
  { name: 'claim windows', examine: examineClaimWindows },
  { name: 'claim hours', examine: examineClaimHours },
  { name: 'lists and profiles', examine: examineListsAndProfiles },
  { name: 'changes', examine: examineChanges },
]

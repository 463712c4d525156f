import { noteRecords } from '../../read-models/changes/maintain.ts'
import { populating, type Step, stepsFor } from '../../read-models/steps.ts'
import type { RecordType } from '../records.ts'
import { FOLLOWS } from '../staging/reference-checks.ts'
import { stagingName } from '../staging/staging.ts'

/*
 * How staged records become rows. Every statement works on all records of a type at once; an unchanged record writes
 * nothing. Campaigns and claims have files of their own.
 */

/** Inserts the rows of `source`, or updates those that differ. */
export function upsert(table: string, identity: string[], columns: string[], source: string) {
  const all = [...identity, ...columns]
  const target = columns.map((column) => `target.${column}`).join(', ')
  const excluded = columns.map((column) => `excluded.${column}`).join(', ')
  return `insert into ${table} as target (${all.join(', ')})
    select ${all.join(', ')} from (${source}) source
    on conflict (${identity.join(', ')}) do update
    set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
    where (${target}) is distinct from (${excluded})`
}

/** The same for all records of a type, whose staged columns have the same names. */
const upsertRecords = (type: RecordType, table: string, identity: string[], columns: string[]) =>
  upsert(table, identity, columns, `select * from ${stagingName(type)} where is_removed is null`)

const removeRecords = (type: RecordType, table: string, identity: string[]) =>
  `delete from ${table} stored using ${stagingName(type)} removed
    where is_removed and ${identity.map((column) => `stored.${column} = removed.${column}`).join(' and ')}`

/** What campaigns refer to. */
export const mergeTokensAndLists: Step[] = [
  ...stepsFor(
    ['token'],
    // Their prices have a history of their own.
    `with merged as (${upsert(
      'tokens',
      ['chain_id', 'address'],
      [
        ...['decimals', 'name', 'symbol', 'image_uri', 'is_whitelisted', 'is_imported'],
        ...['market_cap', 'price_change_24_hr', 'volume_24_hr', 'holders'],
      ],
      // Who follows a chain reads its tokens there.
      `select *, coalesce(current_setting('${FOLLOWS}', true), '') = '' as is_imported from staged_token
        where is_removed is null`,
    )} returning chain_id, address), removed as (${removeRecords('token', 'tokens', ['chain_id', 'address'])}
        returning stored.chain_id, stored.address)
      insert into noted_changes
      select 'token.changed', chain_id, null, jsonb_build_object('token', chain_id || ':' || address)
      from (select * from merged union all select * from removed) changed`,
  ),
  ...stepsFor(
    ['contract'],
    `with merged as (${upsertRecords('contract', 'contracts', ['chain_id', 'address'], ['name'])}
      returning chain_id, address
    ), removed as (${removeRecords('contract', 'contracts', ['chain_id', 'address'])}
      returning stored.chain_id, stored.address)
    ${noteRecords(
      'contract',
      { chainId: 'chain_id', address: 'address' },
      '(select * from merged union all select * from removed) changed',
    )}`,
  ),
  ...stepsFor(
    ['actionTemplate'],
    `with merged as (${upsertRecords(
      'actionTemplate',
      'action_templates',
      ['id'],
      ['project_id', 'action_type', 'project_image', 'description', 'category'],
    )} returning id)
      ${noteRecords(
        'actionTemplate',
        { id: 'id' },
        `(select id from merged union all
          select id from staged_actiontemplate join action_templates using (id) where is_removed) changed`,
      )}`,
  ),
  ...stepsFor(
    ['accessList'],
    upsert(
      'access_lists',
      ['id'],
      ['user_id', 'name', 'icon', 'created_at', 'member_count'],
      `select *, (select count(distinct address) from unnest(members) as address)::integer as member_count
      from staged_accesslist where is_removed is null`,
    ),
    `delete from access_list_members where access_list_id in (select id from staged_accesslist)`,
    `insert into access_list_members (access_list_id, address)
    select distinct id, address from staged_accesslist, unnest(members) as address`,
  ),
]

const recordSignatureChange = (campaignId: string, from: string) =>
  noteRecords(
    'claimSignature',
    { campaignId, claimant: 'signed.claimant', incentiveId: 'signed.incentive_position' },
    from,
  )

/** Signatures that come, change or go, also with their incentives: before anything is withdrawn. */
export const recordSignatureChanges: Step[] = [
  ...stepsFor(
    ['claimSignature'],
    recordSignatureChange(
      'signed.campaign_id',
      `staged_claimsignature signed join campaigns on campaigns.id = signed.campaign_id
      left join claim_signatures stored on stored.campaign_key = campaigns.key
        and stored.claimant = signed.claimant and stored.incentive_position = signed.incentive_position
      where case when is_removed then stored.signature is not null
        else (stored.signature, stored.referrer) is distinct from (signed.signature, signed.referrer) end`,
    ),
  ),
  ...stepsFor(
    ['campaign'],
    recordSignatureChange(
      'staged_key.id',
      `claim_signatures signed join staged_key on staged_key.key = signed.campaign_key
      where signed.incentive_position <> all (staged_key.incentive_positions)`,
    ),
    recordSignatureChange(
      'staged_key.id',
      `detached_claim_signatures signed join staged_key on staged_key.id = signed.campaign_id
      where signed.incentive_position = any (staged_key.incentive_positions)`,
    ),
  ),
  ...stepsFor(
    ['withdrawnCampaign'],
    recordSignatureChange(
      'campaigns.id',
      `withdrawn_campaign join campaigns using (id) join claim_signatures signed on signed.campaign_key = campaigns.key`,
    ),
  ),
]

export const mergeSignatures: Step[] = stepsFor(
  ['claimSignature'],
  upsert(
    'claim_signatures',
    ['campaign_key', 'claimant', 'incentive_position'],
    ['signature', 'referrer'],
    `select staged_claimsignature.*, campaigns.key as campaign_key
    from staged_claimsignature join campaigns on campaigns.id = campaign_id where is_removed is null`,
  ),
  `delete from claim_signatures stored using staged_claimsignature removed join campaigns on campaigns.id = campaign_id
  where is_removed and stored.campaign_key = campaigns.key and stored.claimant = removed.claimant
    and stored.incentive_position = removed.incentive_position`,
  `delete from detached_claim_signatures stored using staged_claimsignature removed
  where is_removed and stored.campaign_id = removed.campaign_id and stored.claimant = removed.claimant
    and stored.incentive_position = removed.incentive_position`,
)

const touchScores = `insert into touched_scores
  select distinct score_bucket from profiles join staged_profile using (user_address)
  where not exists (select from touched_scores already where already.score_bucket = profiles.score_bucket)`

/** Profiles, and the number of profiles with each score that one of them has, or had. */
export const mergeProfiles: Step[] = stepsFor(
  ['profile'],
  touchScores,
  upsertRecords(
    'profile',
    'profiles',
    ['user_address'],
    [
      ...['eth_earned', 'score', 'streak_value', 'streak_last_expiration_at'],
      ...['streak_next_expiration_at', 'streak_last_completion_at'],
    ],
  ),
  removeRecords('profile', 'profiles', ['user_address']),
  populating('touched_scores', touchScores),
  `merge into profile_score_counts counts
  using (
    select touched_scores.score_bucket, count(user_address) as profile_count
    from touched_scores left join profiles using (score_bucket)
    group by touched_scores.score_bucket
  ) totals
  on counts.score_bucket = totals.score_bucket
  when matched and totals.profile_count = 0 then delete
  when matched and counts.profile_count <> totals.profile_count
    then update set profile_count = totals.profile_count
  when not matched and totals.profile_count > 0
    then insert (score_bucket, profile_count) values (totals.score_bucket, totals.profile_count)`,
)

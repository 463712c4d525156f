-- name: takeRevision
-- A batch that changes nothing of this takes no revision for it.
select bump_data_version() where exists (select from pending_changes);

-- name: recordChanges
-- Within a commit, by kind and then as they are identified; changes of a kind in a commit are fewer than a billion. Where there is a
-- `reset`, it stands for all else that its commit changes. A claim is as an entry of a list of claims has it; of other records only
-- their identities are told, a thousand to a change.
insert into changes (revision, position, epoch, at, kind, chain_id, campaign_id, details)
select own.revision, position, own.epoch, statement_timestamp(), kind, chain_id, campaign_id, details
from (
  select revision, epoch from data_versions
  where revision = (select max(revision) from data_versions) and xmin = pg_current_xact_id()::xid
) own cross join (
  select array_position(
      '{reset,chain.reorganised,campaign.removed,claim.removed,token.changed,price.changed,campaign.added,campaign.changed,claim.added,records.changed}',
      kind) * 1000000000::bigint + row_number() over () as position,
    kind, chain_id, campaign_id, details
  from (
    (select distinct kind, chain_id, campaign_id, details from pending_changes where kind <> 'records.changed'
    order by kind, chain_id, campaign_id, details)
    union all
    select 'records.changed', null, null, jsonb_agg(details)
    from (
      select details, row_number() over () / 1000 as part
      from (select distinct details from pending_changes where kind = 'records.changed') records
    ) parts group by part
  ) pending
  union all
  -- Ranks 9 and 4 of the kinds above.
  select case direction when 1 then 9 else 4 end * 1000000000::bigint + row_number() over (),
    case direction when 1 then 'claim.added' else 'claim.removed' end, delta.chain_id, campaigns.id,
    jsonb_build_object(
      'campaignName', campaign_name, 'incentiveIndex', incentive_position, 'incentiveType', type, 'claimant', claimant,
      'asset', asset, 'amount', amount::text,
      'amountUsd', trim_scale(round(amount_usd, 6))::text,
      'txHash', '0x' || encode(delta.tx_hash, 'hex'), 'logIndex', log_index,
      'blockTimestamp', delta.block_timestamp::text)
  from claim_deltas delta
  join campaigns on campaigns.key = delta.campaign_key
  join incentives on incentives.campaign_key = delta.campaign_key and incentives.position = incentive_position
) changed
where kind = 'reset' or not exists (select from pending_changes where kind = 'reset');

-- name: recordFinality
-- With the ID of a chain ($1) and its newest final block ($2), in the transaction that has stored its blocks: which of its changed
-- claims are final as of this commit.
update changes set details = details || jsonb_build_object('isFinal', kind = 'claim.added' and not exists (
  select from followed_blocks block cross join lateral jsonb_array_elements(block.claims) entry
  where block.chain_id = $1 and block.number > $2 and block.claims <> '[]'
    and entry ->> 0 = details ->> 'txHash' and (entry ->> 1)::integer = (details ->> 'logIndex')::integer
))
where chain_id = $1 and kind in ('claim.added', 'claim.removed') and revision = (
  select revision from data_versions
  where revision = (select max(revision) from data_versions) and xmin = pg_current_xact_id()::xid
);

-- name: emptyChanges
-- A repair is no change of a batch: readers start again.
delete from changes;

-- name: beginChanges
insert into changes (revision, position, epoch, at, kind)
select revision, 0, epoch, clock_timestamp(), 'beginning' from data_versions order by revision desc limit 1;

-- name: recordSignatures
-- Those that come, change or are removed. A proof is stored where others have what a validator has signed, as a text that begins
-- with `proof:`.
insert into pending_changes (kind, details)
select 'records.changed', case when coalesce(signed.signature, stored.signature) like 'proof:%'
  then jsonb_build_object('type', 'claimProof', 'campaignId', signed.campaign_id, 'claimant', signed.claimant)
  else jsonb_build_object('type', 'claimSignature', 'campaignId', signed.campaign_id, 'claimant', signed.claimant,
    'incentiveId', signed.incentive_position) end
from staged_claimsignature signed join campaigns on campaigns.id = signed.campaign_id
left join claim_signatures stored on stored.campaign_key = campaigns.key
  and stored.claimant = signed.claimant and stored.incentive_position = signed.incentive_position
where case when is_removed then stored.signature is not null
  else (stored.signature, stored.referrer) is distinct from (signed.signature, signed.referrer) end;

-- name: recordDetached
-- Those that go with their incentive.
insert into pending_changes (kind, details)
select 'records.changed', case when signed.signature like 'proof:%'
  then jsonb_build_object('type', 'claimProof', 'campaignId', staged_key.id, 'claimant', signed.claimant)
  else jsonb_build_object('type', 'claimSignature', 'campaignId', staged_key.id, 'claimant', signed.claimant,
    'incentiveId', signed.incentive_position) end
from claim_signatures signed join staged_key on staged_key.key = signed.campaign_key
where signed.incentive_position <> all (staged_key.incentive_positions);

-- name: recordAttached
-- Those that come again with their incentive.
insert into pending_changes (kind, details)
select 'records.changed', case when signed.signature like 'proof:%'
  then jsonb_build_object('type', 'claimProof', 'campaignId', staged_key.id, 'claimant', signed.claimant)
  else jsonb_build_object('type', 'claimSignature', 'campaignId', staged_key.id, 'claimant', signed.claimant,
    'incentiveId', signed.incentive_position) end
from detached_claim_signatures signed join staged_key on staged_key.id = signed.campaign_id
where signed.incentive_position = any (staged_key.incentive_positions);

-- name: recordOfWithdrawnCampaigns
insert into pending_changes (kind, details)
select 'records.changed', case when signed.signature like 'proof:%'
  then jsonb_build_object('type', 'claimProof', 'campaignId', campaigns.id, 'claimant', signed.claimant)
  else jsonb_build_object('type', 'claimSignature', 'campaignId', campaigns.id, 'claimant', signed.claimant,
    'incentiveId', signed.incentive_position) end
from withdrawn_campaign join campaigns using (id) join claim_signatures signed on signed.campaign_key = campaigns.key;

-- name: storeSignatures
-- An unchanged one writes nothing.
insert into claim_signatures as target (campaign_key, claimant, incentive_position, signature, referrer)
select campaigns.key, claimant, incentive_position, signature, referrer
from staged_claimsignature join campaigns on campaigns.id = campaign_id where is_removed is null
on conflict (campaign_key, claimant, incentive_position) do update
set signature = excluded.signature, referrer = excluded.referrer
where (target.signature, target.referrer) is distinct from (excluded.signature, excluded.referrer);

-- name: deleteSignatures
delete from claim_signatures stored using staged_claimsignature removed join campaigns on campaigns.id = campaign_id
where is_removed and stored.campaign_key = campaigns.key and stored.claimant = removed.claimant
  and stored.incentive_position = removed.incentive_position;

-- name: deleteDetachedSignatures
delete from detached_claim_signatures stored using staged_claimsignature removed
where is_removed and stored.campaign_id = removed.campaign_id and stored.claimant = removed.claimant
  and stored.incentive_position = removed.incentive_position;

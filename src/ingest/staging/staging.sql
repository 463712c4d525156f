-- name: withdrawRemovedClaims
-- The removal of a claim, among the records, becomes one that a chain could have withdrawn.
with removed as (delete from staged_claim where is_removed returning line_id, chain_id, tx_hash, log_index)
insert into withdrawn_claim (line_id, chain_id, tx_hash, log_index)
select line_id, chain_id, tx_hash, log_index from removed;

-- name: withdrawRemovedCampaigns
with removed as (delete from staged_campaign where is_removed returning line_id, id, is_removed)
insert into withdrawn_campaign (line_id, id, is_removed)
select line_id, id, is_removed from removed;

-- name: stageWithdrawnClaims
-- The parameter is an array of rows as JSON. A claim that is also among the records is replaced, not withdrawn.
insert into withdrawn_claim
select * from json_populate_recordset(null::withdrawn_claim, $1) row
where not exists (
  select from staged_claim staged
  where staged.chain_id = row.chain_id and staged.tx_hash = row.tx_hash and staged.log_index = row.log_index);

-- name: stageWithdrawnCampaigns
insert into withdrawn_campaign
select * from json_populate_recordset(null::withdrawn_campaign, $1) row
where not exists (select from staged_campaign staged where staged.id = row.id);

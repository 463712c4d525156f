-- The contracts that each campaign acts on: once for the totals of everybody's campaigns (creator ''), and once more for
-- those of its creator, where that one is popular enough to have totals of his own.
create or replace view campaign_targets as
select counted.creator, target.chain_id, target.value as address, campaigns.key as campaign_key, campaigns.block_timestamp
from campaigns
join campaign_facets target on target.campaign_key = campaigns.key and target.kind = 'target'
left join popular_facets popular
  on popular.kind = 'creator' and popular.chain_id = 0 and popular.value = campaigns.creator
cross join lateral (values (''), (popular.value)) counted (creator)
where counted.creator is not null;

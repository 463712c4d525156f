-- A stored campaign as its record would be staged, without the line: what a batch compares it with, and stages again where only its
-- metadata has changed. A plain query, so that it becomes part of the query that calls it.
create or replace function campaign_as_staged(campaign bigint)
returns table (as_staged jsonb)
language sql stable
as $$
  select to_jsonb(campaigns) || jsonb_build_object(
    'incentives', incentives, 'incentive_positions', positions, 'action_steps', action_steps,
    'nft_collection_chain_id', collection.chain_id, 'nft_collection_address', collection.value,
    'allow_list_owner', allow_lists.owner, 'allow_list_contract_address', contract_address,
    'allow_list_type', allow_lists.type, 'access_list_id', allow_lists.access_list_id,
    'allowed_list_ids', coalesce(allowed_list_ids, '{}'), 'denied_list_ids', coalesce(denied_list_ids, '{}'),
    'allow_list_addresses', case when allow_lists.has_recorded_addresses then array(
      select address from allow_list_addresses where campaign_key = campaigns.key order by address) end)
  from campaigns
  left join allow_lists on allow_lists.campaign_key = campaigns.key
  left join campaign_facets collection on collection.campaign_key = campaigns.key and collection.kind = 'collection'
  cross join lateral (
    select coalesce(array_agg(position order by position), '{}') as positions, coalesce(jsonb_agg(
      definition || jsonb_strip_nulls(jsonb_build_object('auction', auction)) order by position), '[]') as incentives
    from incentives where campaign_key = campaigns.key
  ) paid
  cross join lateral (
    select coalesce(jsonb_agg(definition order by position), '[]') as action_steps
    from action_steps where campaign_key = campaigns.key
  ) actions
  where campaigns.key = campaign
$$;

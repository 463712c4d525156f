-- What the allow list of a campaign says of a user (spec of trending: `accessStatus`). A campaign without one is open to all.
-- A plain query, so that it becomes part of the query that calls it.
create or replace function campaign_access(campaign bigint, claimant text)
returns table (status text)
language sql stable parallel safe
as $$
  select coalesce((
    select case type
      when 'OpenAllowList' then 'allowed'
      when 'SimpleAllowList' then case when is_listed then 'allowed' else 'not-allowed' end
      when 'SimpleDenyList' then case when is_listed then 'denied' else 'allowed' end
      when 'OffchainAccessList' then case when exists (
        select from access_list_members members
        where members.access_list_id = any (
          case when list.access_list_id is null then list.allowed_list_ids else array[list.access_list_id] end)
          and members.address = claimant
      ) and not exists (
        select from access_list_members members
        where members.access_list_id = any (list.denied_list_ids) and members.address = claimant
      ) then 'allowed' else 'not-allowed' end
    end
    from allow_lists list, lateral (
      select exists (
        select from allow_list_addresses listed
        where listed.campaign_key = list.campaign_key and listed.address = claimant
      ) as is_listed
    ) listing
    where list.campaign_key = campaign
  ), (
    -- It has one, and nobody knows what that says.
    select 'not-allowed' from campaigns join unknown_components unknown on unknown.campaign_id = campaigns.id
    where campaigns.key = campaign and unknown.kind = 'allowList'
  ), 'allowed')
$$;

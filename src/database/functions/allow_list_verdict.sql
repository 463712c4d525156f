-- The verdict of a campaign's allow list on a claimant: the kind of the list, whether it denies and whether it admits the
-- claimant; null if a fact is missing. A campaign without a list admits everyone, and has no kind. These rules stand only here.
-- A plain query, so that it becomes part of the query that calls it.
create or replace function allow_list_verdict(campaign bigint, campaign_id text, claimant text)
returns table (list_type text, is_denied boolean, is_admitted boolean)
language sql stable parallel safe
as $$
  select list.type, case
    when unknown.is_unknown then null
    when list.type = 'SimpleDenyList' then case when is_listed then true when list.has_recorded_addresses then false end
    when list.type = 'OffchainAccessList' then case
      when exists (
        select from access_list_members members
        where members.access_list_id = any (list.denied_list_ids) and members.address = claimant
      ) then true
      when not exists (
        select from unnest(list.denied_list_ids) named (id)
        where not exists (select from access_lists known where known.id = named.id)
      ) then false end
    else false end,
  case
    when unknown.is_unknown then null
    when list.type = 'SimpleAllowList' then case when is_listed then true when list.has_recorded_addresses then false end
    when list.type = 'OffchainAccessList' then case
      when exists (
        select from access_list_members members
        where members.access_list_id = any (deciding.ids) and members.address = claimant
      ) then true
      -- Without any list nobody has said who is admitted.
      when deciding.ids <> '{}' and not exists (
        select from unnest(deciding.ids) named (id)
        where not exists (select from access_lists known where known.id = named.id)
      ) then false end
    else true end
  from (values (campaign)) judged (key)
  left join allow_lists list on list.campaign_key = judged.key
  cross join lateral (
    select case when list.access_list_id is null then list.allowed_list_ids else array[list.access_list_id] end as ids
  ) deciding
  cross join lateral (
    select exists (
      select from allow_list_addresses listed
      where listed.campaign_key = list.campaign_key and listed.address = claimant
    ) as is_listed
  ) listing
  -- It has one, and nobody knows what that says.
  cross join lateral (
    select list.campaign_key is null and exists (
      select from unknown_components component
      where component.campaign_id = allow_list_verdict.campaign_id and component.kind = 'allowList'
    ) as is_unknown
  ) unknown
$$;

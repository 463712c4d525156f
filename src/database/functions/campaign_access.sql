-- The `accessStatus` of a user in trending, by the allow list of a campaign: a user who is not known to be admitted has no access;
-- one who is not known to be on a deny list has. A plain query, so that it becomes part of the query that calls it.
create or replace function campaign_access(campaign bigint, claimant text)
returns table (status text)
language sql stable parallel safe
as $$
  select case
    when list_type = 'SimpleDenyList' then case when is_denied is true then 'denied' else 'allowed' end
    when is_admitted is true and is_denied is not true then 'allowed'
    else 'not-allowed' end
  from campaigns cross join lateral allow_list_verdict(campaigns.key, campaigns.id, claimant)
  where campaigns.key = campaign
$$;

-- name: storeAccessLists
-- An unchanged one writes nothing.
insert into access_lists as target (id, user_id, name, icon, created_at, member_count)
select id, user_id, name, icon, created_at, (select count(distinct address) from unnest(members) as address)
from staged_accesslist where is_removed is null
on conflict (id) do update
set user_id = excluded.user_id, name = excluded.name, icon = excluded.icon, created_at = excluded.created_at,
  member_count = excluded.member_count
where (target.user_id, target.name, target.icon, target.created_at, target.member_count)
  is distinct from (excluded.user_id, excluded.name, excluded.icon, excluded.created_at, excluded.member_count);

-- name: deleteMembers
delete from access_list_members where access_list_id in (select id from staged_accesslist);

-- name: insertMembers
insert into access_list_members (access_list_id, address)
select distinct id, address from staged_accesslist, unnest(members) as address;

-- name: recountMembers
-- Of all access lists.
update access_lists list set member_count = due.count
from (
  select id, (select count(*) from access_list_members where access_list_id = id) as count from access_lists
) due
where list.id = due.id and list.member_count <> due.count;

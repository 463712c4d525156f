import { type Step, stepsFor } from '../../read-models/steps.ts'
import { upsert } from './upsert.ts'

/** Access lists with their members, which are replaced whole, before the campaigns that refer to them; those that are removed go at the end of the batch (`removeReferred`). */
export const mergeAccessLists: Step[] = stepsFor(
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
)

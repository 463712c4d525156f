-- name: mergeProfiles
-- Profiles, with the number of profiles of each score: one more for each that comes or changes, one less for each that goes or was
-- otherwise before. All parts of a statement see the rows from before it. An unchanged profile writes nothing.
with merged as (
  insert into profiles as target (user_address, eth_earned, score, streak_value, streak_last_expiration_at,
    streak_next_expiration_at, streak_last_completion_at)
  select user_address, eth_earned, score, streak_value, streak_last_expiration_at, streak_next_expiration_at,
    streak_last_completion_at
  from staged_profile where is_removed is null
  on conflict (user_address) do update
  set eth_earned = excluded.eth_earned, score = excluded.score, streak_value = excluded.streak_value,
    streak_last_expiration_at = excluded.streak_last_expiration_at,
    streak_next_expiration_at = excluded.streak_next_expiration_at,
    streak_last_completion_at = excluded.streak_last_completion_at
  where (target.eth_earned, target.score, target.streak_value, target.streak_last_expiration_at,
      target.streak_next_expiration_at, target.streak_last_completion_at)
    is distinct from (excluded.eth_earned, excluded.score, excluded.streak_value, excluded.streak_last_expiration_at,
      excluded.streak_next_expiration_at, excluded.streak_last_completion_at)
  returning user_address, score_bucket
), removed as (
  delete from profiles stored using staged_profile removed
  where is_removed and stored.user_address = removed.user_address
  returning stored.score_bucket
)
merge into profile_score_counts counts
using (
  select score_bucket, sum(direction) as profile_count
  from (
    select score_bucket, 1 as direction from merged
    union all
    select earlier.score_bucket, -1 from merged join profiles earlier using (user_address)
    union all
    select score_bucket, -1 from removed
  ) moved
  group by score_bucket having sum(direction) <> 0
) differences
on counts.score_bucket = differences.score_bucket
when matched and counts.profile_count + differences.profile_count = 0 then delete
when matched then update set profile_count = counts.profile_count + differences.profile_count
when not matched then insert (score_bucket, profile_count) values (differences.score_bucket, differences.profile_count);

-- name: emptyScoreCounts
delete from profile_score_counts;

-- name: fillScoreCounts
insert into profile_score_counts (score_bucket, profile_count)
select score_bucket, count(*) from profiles group by score_bucket;

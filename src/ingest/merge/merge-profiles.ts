import { type Step, stepsFor } from '../../read-models/steps.ts'
import { removeRecords, upsertRecords } from './upsert.ts'

/**
 * Profiles, with the number of profiles of each score: one more for each that comes or changes, one less for each that goes or was
 * otherwise before. All parts of a statement see the rows from before it.
 */
export const mergeProfiles: Step[] = stepsFor(
  ['profile'],
  `with merged as (${upsertRecords(
    'profile',
    'profiles',
    ['user_address'],
    [
      ...['eth_earned', 'score', 'streak_value', 'streak_last_expiration_at'],
      ...['streak_next_expiration_at', 'streak_last_completion_at'],
    ],
  )} returning user_address, score_bucket
  ), removed as (${removeRecords('profile', 'profiles', ['user_address'])} returning stored.score_bucket
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
  when not matched then insert (score_bucket, profile_count) values (differences.score_bucket, differences.profile_count)`,
)

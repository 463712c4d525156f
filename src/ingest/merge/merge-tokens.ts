import { type Step, stepsFor } from '../../read-models/steps.ts'
import { FOLLOWS } from '../staging/reference-checks.ts'
import { removeRecords, upsert } from './upsert.ts'

/** Tokens, before the campaigns that pay them. Their prices have a history of their own. */
export const mergeTokens: Step[] = stepsFor(
  ['token'],
  `with merged as (${upsert(
    'tokens',
    ['chain_id', 'address'],
    [
      ...['decimals', 'name', 'symbol', 'image_uri', 'is_whitelisted', 'is_imported'],
      ...['market_cap', 'price_change_24_hr', 'volume_24_hr', 'holders'],
    ],
    // Who follows a chain reads its tokens there.
    `select *, coalesce(current_setting('${FOLLOWS}', true), '') = '' as is_imported from staged_token
        where is_removed is null`,
  )} returning chain_id, address), removed as (${removeRecords('token', 'tokens', ['chain_id', 'address'])}
        returning stored.chain_id, stored.address)
      insert into pending_changes
      select 'token.changed', chain_id, null, jsonb_build_object('token', chain_id || ':' || address)
      from (select * from merged union all select * from removed) changed`,
)

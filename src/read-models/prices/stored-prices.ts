import { populating, type Step, stepsFor, stepsUnlessEmpty } from '../steps.ts'

/*
 * Statements that store the sources and prices of a batch. Unchanged prices take no revision: each kind is compared
 * with what is stored, and only differences are written.
 */

/** After every timestamp of a block. */
export const END_OF_TIME = 2 ** 52

const seconds = (instant: string) => `ceil(extract(epoch from ${instant}))::bigint`

export const everyTime = (tokens: string) =>
  `insert into repriced select chain_id, address, 0, ${END_OF_TIME} from ${tokens}`

const storeMissingTokens = (tokens: string) => `insert into priced_tokens (chain_id, address)
  select distinct chain_id, address from ${tokens} named
  where not exists (
    select from priced_tokens known where known.chain_id = named.chain_id and known.address = named.address)`

/** A chain's sources are complete: sources of an earlier file for its tokens are removed. */
export const declareSources: Step[] = [
  ...stepsFor(
    ['priceSource'],
    populating(
      'changed_price_source',
      `insert into changed_price_source
      select staged.* from staged_price_source staged left join priced_tokens stored using (chain_id, address)
      where address is not null and (stored.source_chain_id, stored.feed, stored.fixed_price_usd)
        is distinct from (staged.source_chain_id, staged.feed, staged.fixed_price_usd)
      union all
      select null, stored.chain_id, stored.address, null, null from priced_tokens stored
      where stored.source_chain_id in (select source_chain_id from staged_price_source) and not exists (
        select from staged_price_source staged
        where staged.chain_id = stored.chain_id and staged.address = stored.address)`,
    ),
  ),
  ...stepsUnlessEmpty(
    'changed_price_source',
    ['priceSource'],
    populating('repriced', everyTime('changed_price_source')),
    storeMissingTokens('changed_price_source'),
    `delete from feed_prices using changed_price_source changed join priced_tokens stored using (chain_id, address)
    where token_key = stored.key
      and (stored.source_chain_id, stored.feed) is distinct from (changed.source_chain_id, changed.feed)`,
    `update priced_tokens stored set source_chain_id = changed.source_chain_id, feed = changed.feed,
      fixed_price_usd = changed.fixed_price_usd
    from changed_price_source changed where stored.chain_id = changed.chain_id and stored.address = changed.address`,
  ),
]

const feedKinds = ['feedPrice', 'withdrawnFeedPrice'] as const

export const changeFeedPrices: Step[] = [
  ...stepsFor(
    feedKinds,
    populating(
      'changed_feed_price',
      `with coming as (
        select key as token_key, block_number, log_index, at, price_usd
        from staged_feed_price join priced_tokens using (chain_id, address) where feed is not null
      )
      insert into changed_feed_price
      select token_key, block_number, log_index, stored.at, coming.at, coming.price_usd
      from coming left join feed_prices stored using (token_key, block_number, log_index)
      where (stored.at, stored.price_usd) is distinct from (coming.at, coming.price_usd)
      union all
      select token_key, block_number, log_index, stored.at, null, null
      from withdrawn_feed_price withdrawn
      join priced_tokens on source_chain_id = withdrawn.chain_id and priced_tokens.feed is not null
        and (withdrawn.feed is null or withdrawn.feed = priced_tokens.feed)
      join feed_prices stored on token_key = key and block_number > above_block
        and (up_to_block is null or block_number <= up_to_block)
      where not exists (
        select from coming where coming.token_key = stored.token_key and coming.block_number = stored.block_number
          and coming.log_index = stored.log_index)`,
    ),
  ),
  ...stepsUnlessEmpty(
    'changed_feed_price',
    feedKinds,
    `delete from feed_prices stored using changed_feed_price changed
    where changed.price_usd is null and stored.token_key = changed.token_key
      and stored.block_number = changed.block_number and stored.log_index = changed.log_index`,
    `insert into feed_prices (token_key, block_number, log_index, at, price_usd)
    select token_key, block_number, log_index, at, price_usd from changed_feed_price where price_usd is not null
    on conflict (token_key, block_number, log_index) do update set at = excluded.at, price_usd = excluded.price_usd`,
    populating(
      'repriced',
      `insert into repriced
      select chain_id, address, ${seconds('changed_at')}, coalesce((
        select ${seconds('min(later.at)')} from feed_prices later where later.token_key = key and later.at > changed_at
      ), ${END_OF_TIME})
      from changed_feed_price join priced_tokens on key = token_key
      cross join lateral (values (stored_at), (at)) changed (changed_at) where changed_at is not null`,
    ),
  ),
]

/** Prices that are already stored stay unchanged, so this may run again for additional ones. */
const storeImportedPrices = (kind: 'tokenPrice' | 'token') =>
  stepsUnlessEmpty(
    'changed_imported_price',
    [kind],
    storeMissingTokens('changed_imported_price'),
    `delete from imported_prices stored using changed_imported_price changed join priced_tokens using (chain_id, address)
    where changed.price_usd is null and stored.token_key = key and stored.at = changed.at`,
    `insert into imported_prices as stored (token_key, at, price_usd)
    select key, at, price_usd from changed_imported_price join priced_tokens using (chain_id, address)
    where price_usd is not null
    on conflict (token_key, at) do update set price_usd = excluded.price_usd
    where stored.price_usd <> excluded.price_usd`,
    populating(
      'repriced',
      `insert into repriced
      select chain_id, address, ${seconds('at')}, coalesce((
        select ${seconds('min(later.at)')} from imported_prices later where later.token_key = key and later.at > changed.at
      ), ${END_OF_TIME})
      from changed_imported_price changed join priced_tokens using (chain_id, address)`,
    ),
  )

export const importPrices: Step[] = [
  ...stepsFor(
    ['tokenPrice'],
    populating(
      'changed_imported_price',
      `insert into changed_imported_price
      select chain_id, address, staged.at, staged.price_usd
      from staged_tokenprice staged left join priced_tokens using (chain_id, address)
      left join imported_prices stored on token_key = key and stored.at = staged.at
      where stored.price_usd is distinct from staged.price_usd`,
    ),
  ),
  ...storeImportedPrices('tokenPrice'),
  // The price in a token record holds as of now if it differs from the newest: one instant for all records of a call.
  ...stepsFor(
    ['token'],
    populating(
      'changed_imported_price',
      `insert into changed_imported_price
      select chain_id, address,
        greatest((select date_trunc('milliseconds', clock_timestamp())), newest.at), staged.price_usd
      from staged_token staged
      left join priced_tokens using (chain_id, address)
      left join lateral (
        select at, price_usd from imported_prices where token_key = key order by at desc limit 1
      ) newest on true
      where staged.price_usd is not null and staged.price_usd is distinct from newest.price_usd`,
    ),
  ),
  ...storeImportedPrices('token'),
]

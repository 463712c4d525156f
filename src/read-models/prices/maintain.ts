import { populating, type Step, stepsFor, stepsUnlessEmpty } from '../steps.ts'
import { changeFeedPrices, declareSources, END_OF_TIME, everyTime, importPrices } from './stored-prices.ts'

/*
 * How the prices of a batch are stored, and which claims they revalue. Each kind of price is compared with the stored
 * ones before anything is written: unchanged prices take no revision.
 */

export const priceTables = {
  staged_feed_price:
    'chain_id bigint, address text, block_number bigint, log_index integer, at timestamptz, price_usd numeric',
  // For one feed if it is named, and up to a block if there is one.
  withdrawn_feed_price: 'chain_id bigint, above_block bigint, feed text, up_to_block bigint',
  // A row without an address: the chain declares no other sources.
  staged_price_source: 'source_chain_id bigint, chain_id bigint, address text, feed text, fixed_price_usd numeric',
  changed_price_source: 'source_chain_id bigint, chain_id bigint, address text, feed text, fixed_price_usd numeric',
  changed_imported_price: 'chain_id bigint, address text, at timestamptz, price_usd numeric',
  // Without a price: it is withdrawn.
  changed_feed_price:
    'token_key integer, block_number bigint, log_index integer, stored_at timestamptz, at timestamptz, price_usd numeric',
  // Tokens and time ranges (Unix seconds, the end excluded) whose price may have changed.
  repriced: 'chain_id bigint, address text, since bigint, until bigint',
  // Incentives that pay another token than before.
  reassigned_incentive: 'campaign_key bigint, position smallint',
  // Stored claims whose value changes.
  revalued_claim: 'claim tid, amount_usd numeric, is_value_derived boolean',
}

/** The kinds of changes that can change prices of tokens, or values of claims. */
export const priceKinds = ['token', 'tokenPrice', 'feedPrice', 'withdrawnFeedPrice', 'priceSource'] as const

/** Before the tokens are stored: those whose decimals become known, or change. */
const recordChangedDecimals: Step[] = stepsFor(
  ['token'],
  populating(
    'repriced',
    everyTime(`staged_token staged join priced_tokens using (chain_id, address)
    left join tokens known using (chain_id, address) where known.decimals is distinct from staged.decimals`),
  ),
)

/** Also for past prices, which revalue claims. `seconds` are for copies: null is unbounded. */
const recordPriceChanges: Step[] = stepsUnlessEmpty(
  'repriced',
  priceKinds,
  `insert into pending_changes
  select 'price.changed', chain_id, null, jsonb_build_object('token', chain_id || ':' || address,
    'priceUsd', (select trim_scale(price_usd)::text from token_price_at(chain_id, address, 'infinity')),
    'seconds', jsonb_build_array(min(since), nullif(max(until), ${END_OF_TIME})))
  from repriced group by chain_id, address`,
)

/** Stores the prices of a batch, and notes in `repriced` where that changes them; before the tokens are stored. */
export const mergePrices: Step[] = [
  ...declareSources,
  ...changeFeedPrices,
  ...importPrices,
  ...recordPriceChanges,
  ...recordChangedDecimals,
]

/** The current price, of tokens in `repriced` or of all; after the tokens are stored. */
const priceOfNow = (tokens: string) => `update tokens target
  set price_usd = due.price_usd, base_unit_price_usd = due.price_usd * ('1e-' || target.decimals)::numeric
  from ${tokens} named left join lateral token_price_at(named.chain_id, named.address, 'infinity') due on true
  where target.chain_id = named.chain_id and target.address = named.address
    and (target.price_usd, target.base_unit_price_usd)
      is distinct from (due.price_usd, due.price_usd * ('1e-' || target.decimals)::numeric)`

export const priceTokens: Step[] = stepsUnlessEmpty(
  'repriced',
  priceKinds,
  priceOfNow('(select distinct chain_id, address from repriced)'),
)

/**
 * Before campaigns are stored: an incentive of a replaced campaign may pay another token, which revalues its claims.
 */
export const recordReassignedIncentives: Step[] = stepsFor(
  ['campaign'],
  populating(
    'reassigned_incentive',
    `insert into reassigned_incentive
    select campaign_key, position
    from staged_campaign staged join campaigns stored using (id)
    cross join jsonb_array_elements(staged.incentives) with ordinality as coming (definition, nth)
    join incentives on campaign_key = stored.key and position = staged.incentive_positions[nth]
    where asset is distinct from coming.definition ->> 'asset' and claim_count > 0`,
  ),
)

/** With at least this number of claims while a price held, the claims of a token are found through its incentives. */
const MANY_CLAIMS = 5000

const isDerived = '(claim.is_value_derived or claim.amount_usd is null)'
const isOtherwise = `${isDerived} and claim.amount_usd is distinct from due.amount_usd`
const derivedValue = 'derived_claim_value(incentive.chain_id, incentive.asset, claim.amount, claim.block_timestamp)'

const claimColumns =
  'ctid as claim_ctid, campaign_key, incentive_position, amount, amount_usd, is_value_derived, block_timestamp'

/**
 * Notes the stored claims that get another value: after prices, tokens and incentives are stored, and before claims
 * are, which come with the right values. A token may be paid by a hundred thousand incentives: if few claims were made
 * while the price held, as after a price that has just come, these are read instead. Each part starts from the few rows
 * of the one before: the planner cannot know their number, and would read all claims (`offset 0` and `limit` prevent
 * that).
 */
export const findRevaluedClaims: Step[] = [
  ...stepsUnlessEmpty(
    'repriced',
    priceKinds,
    populating(
      'revalued_claim',
      `with merged as materialized (
        select chain_id, address, lower(span) as since, upper(span) as until
        from (
          select chain_id, address, unnest(range_agg(int8range(since, until))) as span from repriced
          group by chain_id, address
        ) spans
      ), timed as materialized (
        select *, since > 0 and (
          select count(*) < ${MANY_CLAIMS} from (
            select from claims where block_timestamp >= since and block_timestamp < until
            order by block_timestamp limit ${MANY_CLAIMS}) few
        ) as is_short
        from merged
      )
      insert into revalued_claim
      select claim.claim_ctid, due.amount_usd, true
      from timed
      cross join lateral (
        select ${claimColumns} from claims
        where is_short and block_timestamp >= since and block_timestamp < until
        order by block_timestamp limit ${MANY_CLAIMS}
      ) claim
      cross join lateral (
        select incentives.chain_id, asset from incentives
        where campaign_key = claim.campaign_key and position = incentive_position offset 0
      ) incentive
      cross join lateral ${derivedValue} due
      where incentive.chain_id = timed.chain_id and asset = timed.address and ${isOtherwise}
      union all
      select claim.claim_ctid, due.amount_usd, true
      from timed
      cross join lateral (
        select campaign_key, position, incentives.chain_id, asset from incentives
        where not is_short and incentives.chain_id = timed.chain_id and asset = address and claim_count > 0 offset 0
      ) incentive
      cross join lateral (
        select ${claimColumns} from claims
        where claims.campaign_key = incentive.campaign_key and incentive_position = position
          and block_timestamp >= since and block_timestamp < until offset 0
      ) claim
      cross join lateral ${derivedValue} due
      where ${isOtherwise}`,
    ),
  ),
  ...stepsUnlessEmpty(
    'reassigned_incentive',
    ['campaign'],
    populating(
      'revalued_claim',
      `insert into revalued_claim
      select claim.ctid, due.amount_usd, asset is not null
      from reassigned_incentive join incentives incentive using (campaign_key, position)
      join claims claim on claim.campaign_key = incentive.campaign_key and incentive_position = position
      cross join lateral ${derivedValue} due
      where ${isDerived}
        and (claim.amount_usd, claim.is_value_derived) is distinct from (due.amount_usd, asset is not null)
        and not exists (select from revalued_claim already where already.claim = claim.ctid)`,
    ),
  ),
]

/** How many pages the claims to revalue take in their working table, and whether they are few. */
export const measureRevaluation = `select (pg_relation_size('revalued_claim') / current_setting('block_size')::integer)::integer as pages,
  (select count(*) < 200 from (select from revalued_claim limit 200) few) as "isFew"`

const inPages = 'due.ctid >= $1::tid and due.ctid < $2::tid'

/**
 * Revalues the claims in some pages of that table, as if they were replaced: two rows in `claim_deltas` for each. By
 * their physical positions in the table of claims, which no other transaction can change meanwhile; a claim that has
 * been replaced since is skipped.
 */
export const revaluePages = [
  `insert into claim_deltas
  select direction, chain_id, tx_hash, log_index, campaign_key, incentive_position, claimant, amount,
    case direction when 1 then due.amount_usd else claim.amount_usd end, block_timestamp,
    case direction when 1 then due.is_value_derived else claim.is_value_derived end
  from revalued_claim due join claims claim on claim.ctid = due.claim cross join (values (-1), (1)) both_ways (direction)
  where ${inPages}`,
  `update claims claim set amount_usd = due.amount_usd, is_value_derived = due.is_value_derived
  from revalued_claim due where claim.ctid = due.claim and ${inPages}`,
]

/** Recomputes all values and current prices. */
export const recomputeValues = [
  priceOfNow('tokens'),
  `update claims target set amount_usd = due.amount_usd, is_value_derived = asset is not null
  from claims claim
  join incentives incentive on incentive.campaign_key = claim.campaign_key and position = incentive_position
  cross join lateral ${derivedValue} due
  where target.chain_id = claim.chain_id and target.tx_hash = claim.tx_hash and target.log_index = claim.log_index
    and ${isOtherwise}`,
]

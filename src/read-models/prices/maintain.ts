import { readStatements } from '../named-statements.ts'
import { populating, type Step, stepsFor, stepsUnlessEmpty } from '../steps.ts'

/*
 * How the prices of a batch are stored, and which claims they revalue. Each kind of price is compared with the stored
 * ones before anything is written: unchanged prices take no revision.
 */

const statements = readStatements(
  'read-models/prices/maintain.sql',
  ...(['findChangedSources', 'repriceBySources', 'storeTokensOfSources'] as const),
  ...(['deletePricesOfFormerFeeds', 'storeSources'] as const),
  ...(['findChangedFeedPrices', 'deleteFeedPrices', 'storeFeedPrices', 'repriceByFeeds'] as const),
  ...(['findChangedTokenPrices', 'findPricesInTokens', 'storeTokensOfPrices', 'deleteImportedPrices'] as const),
  ...(['storeImportedPrices', 'repriceByImports', 'recordPriceChanges', 'repriceByDecimals', 'priceTokens'] as const),
  ...(['findReassignedIncentives', 'findRepricedClaims', 'findReassignedClaims'] as const),
  ...(['priceAllTokens', 'revalueAllClaims'] as const),
)

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

/** The kinds that can change prices of tokens, or values of claims. */
export const priceKinds = ['token', 'tokenPrice', 'feedPrice', 'withdrawnFeedPrice', 'priceSource'] as const

const declareSources: Step[] = [
  ...stepsFor(['priceSource'], populating('changed_price_source', statements.findChangedSources)),
  ...stepsUnlessEmpty(
    'changed_price_source',
    ['priceSource'],
    populating('repriced', statements.repriceBySources),
    statements.storeTokensOfSources,
    statements.deletePricesOfFormerFeeds,
    statements.storeSources,
  ),
]

const feedKinds = ['feedPrice', 'withdrawnFeedPrice'] as const

const changeFeedPrices: Step[] = [
  ...stepsFor(feedKinds, populating('changed_feed_price', statements.findChangedFeedPrices)),
  ...stepsUnlessEmpty(
    'changed_feed_price',
    feedKinds,
    statements.deleteFeedPrices,
    statements.storeFeedPrices,
    populating('repriced', statements.repriceByFeeds),
  ),
]

/** Prices that are already stored stay unchanged, so this may run again for additional ones. */
const storeImportedPrices = (kind: 'tokenPrice' | 'token') =>
  stepsUnlessEmpty(
    'changed_imported_price',
    [kind],
    statements.storeTokensOfPrices,
    statements.deleteImportedPrices,
    statements.storeImportedPrices,
    populating('repriced', statements.repriceByImports),
  )

const importPrices: Step[] = [
  ...stepsFor(['tokenPrice'], populating('changed_imported_price', statements.findChangedTokenPrices)),
  ...storeImportedPrices('tokenPrice'),
  ...stepsFor(['token'], populating('changed_imported_price', statements.findPricesInTokens)),
  ...storeImportedPrices('token'),
]

/** Stores the prices of a batch, and notes in `repriced` where that changes them; before the tokens are stored. */
export const mergePrices: Step[] = [
  ...declareSources,
  ...changeFeedPrices,
  ...importPrices,
  ...stepsUnlessEmpty('repriced', priceKinds, statements.recordPriceChanges),
  ...stepsFor(['token'], populating('repriced', statements.repriceByDecimals)),
]

/** After the tokens are stored. */
export const priceTokens: Step[] = stepsUnlessEmpty('repriced', priceKinds, statements.priceTokens)

/** Before campaigns are stored. */
export const recordReassignedIncentives: Step[] = stepsFor(
  ['campaign'],
  populating('reassigned_incentive', statements.findReassignedIncentives),
)

/** After prices, tokens and incentives are stored, and before claims are, which come with the right values. */
export const findRevaluedClaims: Step[] = [
  ...stepsUnlessEmpty('repriced', priceKinds, populating('revalued_claim', statements.findRepricedClaims)),
  ...stepsUnlessEmpty(
    'reassigned_incentive',
    ['campaign'],
    populating('revalued_claim', statements.findReassignedClaims),
  ),
]

/** Recomputes all values and current prices. */
export const recomputeValues = [statements.priceAllTokens, statements.revalueAllClaims]

import { isProof, partOfProof } from '../../schemas/payloads/claim-proofs.ts'
import { type CampaignField, metadataFields, optionalFields, requiredFields, withColumns } from '../campaign-fields.ts'

/*
 * How records are made of what is stored, key by key, in the order in which the API's documentation lists them. Each kind has an
 * order by chain and a key within the chain, by which a page begins and ends.
 */

export const recordKinds = ['campaigns', 'claims', 'tokens', 'prices'] as const
export type RecordKind = (typeof recordKinds)[number]

export interface RecordColumns {
  /** The `type` of its records. */
  type: string
  /** Each key with the expression of its value. */
  columns: Readonly<Record<string, string>>
  /** Values that a table writes otherwise: text that JSON has in quotation marks. */
  tableColumns?: Readonly<Record<string, string>>
  from: string
  /**
   * What has the key, where that is less: it is read to find where a page ends.
   * @param condition of the records, of which a page has no more than `max`.
   */
  keyFrom?: (condition: string, max: number) => string
  /** The table whose chains these are, and its column. */
  chainTable: string
  chainColumn: string
  /** What orders records within a chain: columns, and their types. Of an instant the position has milliseconds. */
  key: readonly { column: string; type: string }[]
  /** Whether the two columns of the key are of two tables, so that no index has both. */
  isJoined?: boolean
  /** Seconds, or an instant, by which a time range selects. */
  time?: { column: string; type: 'seconds' | 'instant' }
}

/** As the API writes an instant. */
const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Values that an export writes otherwise than their columns, by the SQL type of these. */
const exportedValues: Record<string, (column: string) => string> = {
  bigint: (column) => `${column}::text`,
  numeric: (column) => `${column}::text`,
  'text[]': (column) => `to_json(${column})`,
  'timestamp with time zone': iso,
}

const exportedFields = (fields: Record<string, CampaignField>) =>
  Object.fromEntries(
    withColumns(fields).map(({ name, sqlName, sqlType }) => {
      const column = `campaign.${sqlName}`
      return [name, exportedValues[sqlType]?.(column) ?? column]
    }),
  )

const tokenOrNull = (chain: string, address: string) =>
  `case when ${address} is not null then json_build_object('chainId', ${chain}, 'address', ${address}) end`

const campaigns: RecordColumns = {
  type: 'campaign',
  columns: {
    id: 'campaign.id',
    ...exportedFields(requiredFields),
    incentives: 'paid.definitions',
    allowList: `case when list.campaign_key is not null then json_build_object(
      'owner', list.owner, 'contractAddress', list.contract_address, 'type', list.type,
      'addresses', case when list.has_recorded_addresses then (
        select coalesce(json_agg(address order by address), '[]') from allow_list_addresses
        where campaign_key = campaign.key) end) end`,
    actionSteps: `(select coalesce(json_agg(definition order by position), '[]') from action_steps
      where campaign_key = campaign.key)`,
    ...exportedFields(optionalFields),
    ...exportedFields(metadataFields),
    actionToken: tokenOrNull('campaign.action_token_chain_id', 'campaign.action_token_address'),
    nftCollection: tokenOrNull('collection.chain_id', 'collection.value'),
    maxClaimsPerClaimant: `case when campaign.max_claims_per_claimant = 'Infinity' then to_json('unlimited'::text)
      else to_json(campaign.max_claims_per_claimant) end`,
    incentivePositions: 'case when paid.has_gaps then to_json(paid.positions) end',
  },
  tableColumns: {
    maxClaimsPerClaimant: `case when campaign.max_claims_per_claimant = 'Infinity' then 'unlimited'
      else campaign.max_claims_per_claimant::text end`,
  },
  from: `campaigns campaign
    left join allow_lists list on list.campaign_key = campaign.key
    left join campaign_facets collection on collection.campaign_key = campaign.key and collection.kind = 'collection'
    cross join lateral (
      select coalesce(json_agg(definition order by position), '[]') as definitions,
        array_agg(position order by position) as positions, max(position) >= count(*) as has_gaps
      from incentives where campaign_key = campaign.key
    ) paid`,
  keyFrom: () => 'campaigns campaign',
  chainTable: 'campaigns',
  chainColumn: 'campaign.chain_id',
  key: [
    { column: 'campaign.core_address', type: 'text' },
    { column: 'campaign.identifier', type: 'numeric' },
  ],
}

const claims: RecordColumns = {
  type: 'claim',
  columns: {
    campaignId: 'campaign.id',
    incentiveIndex: 'claim.incentive_position',
    claimant: 'claim.claimant',
    amount: 'claim.amount::text',
    txHash: `'0x' || encode(claim.tx_hash, 'hex')`,
    logIndex: 'claim.log_index',
    blockTimestamp: 'claim.block_timestamp::text',
    amountUsd: 'case when not claim.is_value_derived then claim.amount_usd::text end',
  },
  from: 'claims claim join campaigns campaign on campaign.key = claim.campaign_key',
  keyFrom: () => 'claims claim',
  chainTable: 'claims',
  chainColumn: 'claim.chain_id',
  key: [
    { column: 'claim.block_timestamp', type: 'bigint' },
    { column: 'claim.tx_hash', type: 'bytea' },
    { column: 'claim.log_index', type: 'bigint' },
  ],
  time: { column: 'claim.block_timestamp', type: 'seconds' },
}

const tokens: RecordColumns = {
  type: 'token',
  columns: {
    chainId: 'token.chain_id',
    address: 'token.address',
    decimals: 'token.decimals',
    name: 'token.name',
    symbol: 'token.symbol',
    imageUri: 'token.image_uri',
    whitelisted: 'token.is_whitelisted',
    marketCap: 'token.market_cap',
    priceChange24Hr: 'token.price_change_24_hr',
    volume24Hr: 'token.volume_24_hr',
    holders: 'token.holders',
  },
  from: 'tokens token',
  chainTable: 'tokens',
  chainColumn: 'token.chain_id',
  key: [{ column: 'token.address', type: 'text' }],
}

/**
 * The prices of a token that count, wherever they come from: a fixed one for all time; else those of a feed, and before its
 * first the imported ones.
 */
const pricesOfToken = `(
  select '1970-01-01Z'::timestamptz as at, priced.fixed_price_usd as price_usd where priced.fixed_price_usd is not null
  union all
  (select distinct on (at) at, price_usd from feed_prices
  where token_key = priced.key and priced.fixed_price_usd is null order by at, block_number desc, log_index desc)
  union all
  (select at, price_usd from imported_prices
  where token_key = priced.key and priced.fixed_price_usd is null
    and at < coalesce((select min(at) from feed_prices where token_key = priced.key), 'infinity') order by at)
)`

const prices: RecordColumns = {
  type: 'tokenPrice',
  columns: {
    chainId: 'priced.chain_id',
    address: 'priced.address',
    at: iso('price.at'),
    priceUsd: 'price.price_usd::text',
  },
  from: `priced_tokens priced cross join lateral ${pricesOfToken} price`,
  // Of a token with very many prices only those that a page can have.
  keyFrom: (condition, max) => `priced_tokens priced cross join lateral (
    select price.at from ${pricesOfToken} price where ${condition} order by price.at limit ${max}) price`,
  chainTable: 'priced_tokens',
  chainColumn: 'priced.chain_id',
  key: [
    { column: 'priced.address', type: 'text' },
    { column: 'price.at', type: 'instant' },
  ],
  isJoined: true,
  time: { column: 'price.at', type: 'instant' },
}

export const exportedRecords: Record<RecordKind, RecordColumns> = { campaigns, claims, tokens, prices }

/** Records that campaigns need, each once. */
export interface NeededRecords extends Pick<RecordColumns, 'type' | 'columns' | 'from'> {
  /** What identifies each: columns by the keys of its removal, and their types. */
  identity: Readonly<Record<string, readonly [column: string, type: string]>>
  /** The condition that campaigns need it: those whose keys a query gives, or any. */
  isNeededBy: (keys?: string) => string
  /** What a claimant hands to the contract. */
  isOfClaimant?: true
}

const among = (column: string, keys: string | undefined) => (keys === undefined ? 'true' : `${column} in (${keys})`)

export const neededRecords: readonly NeededRecords[] = [
  {
    type: 'actionTemplate',
    columns: {
      id: 'template.id',
      projectId: 'template.project_id',
      actionType: 'template.action_type',
      projectImage: 'template.project_image',
      description: 'template.description',
      category: 'template.category',
    },
    from: 'action_templates template',
    identity: { id: ['template.id', 'uuid'] },
    isNeededBy: (keys) => `template.id in (select action_template_id from campaigns where ${among('key', keys)})`,
  },
  {
    type: 'contract',
    columns: { chainId: 'contract.chain_id', address: 'contract.address', name: 'contract.name' },
    from: 'contracts contract',
    identity: { chainId: ['contract.chain_id', 'bigint'], address: ['contract.address', 'text'] },
    isNeededBy: (keys) => `(contract.chain_id, contract.address) in (
      select (definition ->> 'chainId')::bigint, definition ->> 'targetContract' from action_steps where ${among('campaign_key', keys)})`,
  },
  {
    type: 'claimSignature',
    columns: {
      campaignId: 'campaign.id',
      incentiveId: 'signed.incentive_position',
      claimant: 'signed.claimant',
      signature: 'signed.signature',
      referrer: 'signed.referrer',
    },
    from: `claim_signatures signed join campaigns campaign on campaign.key = signed.campaign_key and not ${isProof('signed.signature')}`,
    identity: {
      campaignId: ['campaign.id', 'text'],
      incentiveId: ['signed.incentive_position', 'smallint'],
      claimant: ['signed.claimant', 'text'],
    },
    isNeededBy: (keys) => among('signed.campaign_key', keys),
    isOfClaimant: true,
  },
  {
    type: 'claimProof',
    columns: {
      campaignId: 'campaign.id',
      claimant: 'signed.claimant',
      cumulativeAmount: partOfProof('signed.signature', 'cumulativeAmount'),
      proof: `to_json(string_to_array(${partOfProof('signed.signature', 'proof')}, ','))`,
      root: partOfProof('signed.signature', 'root'),
    },
    from: `claim_signatures signed join campaigns campaign on campaign.key = signed.campaign_key and ${isProof('signed.signature')}`,
    identity: { campaignId: ['campaign.id', 'text'], claimant: ['signed.claimant', 'text'] },
    isNeededBy: (keys) => among('signed.campaign_key', keys),
    isOfClaimant: true,
  },
]

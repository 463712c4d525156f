import { type CampaignField, campaignFields, metadataFields, withColumns } from '../../database/campaign-fields.ts'
import { claimTotals } from '../campaign-records.ts'
import type { IngestRecord, StagedType } from '../records.ts'

export type RecordOf<Type extends StagedType> = Extract<IngestRecord, { type: Type }>
export type Value = string | number | boolean | null | undefined

/**
 * The temporary table for the records of one type: its columns in SQL, what a record puts into each, and the columns
 * that make two records the same (the later one counts).
 */
interface StagingTable<Type extends StagedType> {
  identity: string[]
  /** Records contain texts of any length. */
  isWide?: true
  columns: { [column: string]: [sqlType: string, toValue: (record: RecordOf<Type>) => Value] }
}

const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value))
/** Addresses only: they contain nothing that an array literal would have to quote. */
const addressArray = (addresses: readonly string[] | null | undefined) => `{${(addresses ?? []).join(',')}}`
const numberArray = (numbers: readonly number[]) => `{${numbers.join(',')}}`
const indexesOf = (values: readonly unknown[]) => values.map((_, index) => index)
export const toInstant = (text: string | null | undefined) => (text ? new Date(text).toISOString() : null)
const partOfId = (id: string, part: 0 | 1 | 2) => id.split(':')[part]

/**
 * An incentive as it is stored: totals that its record leaves open with `""` are left out, since they are derived; an instant has
 * milliseconds.
 */
export const toStoredIncentive = ({ claimUntil, ...incentive }: Record<string, unknown>) => ({
  ...Object.fromEntries(Object.entries(incentive).filter(([key, value]) => !(claimTotals.has(key) && value === ''))),
  ...(typeof claimUntil === 'string' && { claimUntil: toInstant(claimUntil) }),
})

/** What a record has in a field that is a column, as it is staged: by the SQL type of the column. */
const stagedValues: Record<string, (value: string) => unknown> = {
  // As the database writes it: it is compared as text too.
  uuid: (value) => value.toLowerCase(),
  'timestamp with time zone': toInstant,
}

type CampaignOrMetadata = RecordOf<'campaign'> | RecordOf<'campaignMetadata'>
type Columns<Type extends StagedType> = StagingTable<Type>['columns']

const fieldColumns = (fields: Record<string, CampaignField>) =>
  withColumns(fields).map(({ name, field, sqlName, sqlType }) => ({
    sqlName,
    defaultOf: field.defaultOf,
    stagedType: sqlType === 'text[]' ? 'jsonb' : sqlType,
    /** Null or undefined if the record leaves it out. */
    valueIn(record: CampaignOrMetadata) {
      const value = (record as unknown as Record<string, unknown>)[name]
      return value && (stagedValues[sqlType]?.(value as string) ?? value)
    },
  }))

/** The columns of fields in the table of staged campaigns. */
const stagedFields = (fields: Record<string, CampaignField>): Columns<'campaign'> =>
  Object.fromEntries(
    fieldColumns(fields).map(({ sqlName, stagedType, valueIn, defaultOf }) => {
      const toValue = (campaign: RecordOf<'campaign'>) => valueIn(campaign) ?? defaultOf?.(campaign)
      return [
        sqlName,
        stagedType === 'jsonb'
          ? [stagedType, (campaign) => json(toValue(campaign))]
          : [stagedType, (campaign) => toValue(campaign) as Value],
      ]
    }),
  )

/** References to tokens, each of two columns. */
const tokenColumns = {
  action_token_chain_id: ['bigint', (record) => record.actionToken?.chainId],
  action_token_address: ['text', (record) => record.actionToken?.address],
  nft_collection_chain_id: ['bigint', (record) => record.nftCollection?.chainId],
  nft_collection_address: ['text', (record) => record.nftCollection?.address],
} satisfies Record<string, [string, (record: CampaignOrMetadata) => Value]>

/** The columns of a campaign that its metadata can set, with their values; none: it sets nothing. */
const chosenColumns: Record<string, (metadata: RecordOf<'campaignMetadata'>) => unknown> = {
  ...Object.fromEntries(fieldColumns(metadataFields).map(({ sqlName, valueIn }) => [sqlName, valueIn])),
  ...Object.fromEntries(Object.entries(tokenColumns).map(([column, [, toValue]]) => [column, toValue])),
  access_list_id: (metadata) => metadata.accessListId,
  allow_list_addresses: (metadata) => metadata.allowListAddresses,
}

/** Names of the columns of a campaign that its metadata can set. */
export const chosenColumnNames = Object.keys(chosenColumns)

function toChosen(metadata: RecordOf<'campaignMetadata'>) {
  const columns = Object.entries(chosenColumns).map(([column, toValue]) => [column, toValue(metadata)] as const)
  return Object.fromEntries(columns.filter(([, value]) => value !== null && value !== undefined))
}

/** The staging table of each type of record. */
export const stagingTables: { [Type in StagedType]: StagingTable<Type> } = {
  token: {
    identity: ['chain_id', 'address'],
    isWide: true,
    columns: {
      chain_id: ['bigint', (token) => token.chainId],
      address: ['text', (token) => token.address],
      decimals: ['smallint', (token) => token.decimals],
      name: ['text', (token) => token.name],
      symbol: ['text', (token) => token.symbol],
      image_uri: ['text', (token) => token.imageUri],
      is_whitelisted: ['boolean', (token) => token.whitelisted ?? false],
      price_usd: ['numeric', (token) => token.priceUsd],
      market_cap: ['double precision', (token) => token.marketCap],
      price_change_24_hr: ['double precision', (token) => token.priceChange24Hr],
      volume_24_hr: ['double precision', (token) => token.volume24Hr],
      holders: ['double precision', (token) => token.holders],
    },
  },
  tokenPrice: {
    identity: ['chain_id', 'address', 'at'],
    columns: {
      chain_id: ['bigint', (price) => price.chainId],
      address: ['text', (price) => price.address],
      at: ['timestamptz', (price) => toInstant(price.at)],
      price_usd: ['numeric', (price) => price.priceUsd],
    },
  },
  contract: {
    identity: ['chain_id', 'address'],
    isWide: true,
    columns: {
      chain_id: ['bigint', (contract) => contract.chainId],
      address: ['text', (contract) => contract.address],
      name: ['text', (contract) => contract.name],
    },
  },
  actionTemplate: {
    identity: ['id'],
    isWide: true,
    columns: {
      id: ['uuid', (template) => template.id],
      project_id: ['text', (template) => template.projectId],
      action_type: ['text', (template) => template.actionType],
      project_image: ['text', (template) => template.projectImage],
      description: ['text', (template) => template.description],
      category: ['text', (template) => template.category],
    },
  },
  accessList: {
    identity: ['id'],
    isWide: true,
    columns: {
      id: ['text', (list) => list.id],
      user_id: ['text', (list) => list.userId],
      name: ['text', (list) => list.name],
      icon: ['text', (list) => list.icon ?? ''],
      created_at: ['timestamptz', (list) => toInstant(list.createdAt)],
      members: ['text[]', (list) => addressArray(list.members)],
    },
  },
  campaign: {
    identity: ['id'],
    isWide: true,
    columns: {
      id: ['text', (campaign) => campaign.id],
      chain_id: ['bigint', (campaign) => partOfId(campaign.id, 0)],
      core_address: ['text', (campaign) => partOfId(campaign.id, 1)],
      identifier: ['numeric', (campaign) => partOfId(campaign.id, 2)],
      ...stagedFields(campaignFields),
      ...tokenColumns,
      max_claims_per_claimant: ['numeric', ({ maxClaimsPerClaimant: max }) => (max === 'unlimited' ? 'Infinity' : max)],
      incentives: ['jsonb', (campaign) => json(campaign.incentives.map(toStoredIncentive))],
      // Ascending, parallel to the incentives.
      incentive_positions: [
        'smallint[]',
        (campaign) => numberArray(campaign.incentivePositions ?? indexesOf(campaign.incentives)),
      ],
      action_steps: ['jsonb', (campaign) => json(campaign.actionSteps ?? [])],
      allow_list_owner: ['text', (campaign) => campaign.allowList?.owner],
      allow_list_contract_address: ['text', (campaign) => campaign.allowList?.contractAddress],
      allow_list_type: ['text', (campaign) => campaign.allowList?.type],
      access_list_id: ['text', (campaign) => campaign.allowList?.accessListId],
      allowed_list_ids: ['jsonb', (campaign) => json(campaign.accessLists?.allowed ?? [])],
      denied_list_ids: ['jsonb', (campaign) => json(campaign.accessLists?.denied ?? [])],
      // Null if the members are not recorded.
      allow_list_addresses: ['text[]', ({ allowList }) => allowList?.addresses && addressArray(allowList.addresses)],
    },
  },
  campaignMetadata: {
    identity: ['id'],
    isWide: true,
    columns: {
      id: ['text', (metadata) => metadata.id],
      chosen: ['jsonb', (metadata) => json(toChosen(metadata))],
    },
  },
  claim: {
    identity: ['chain_id', 'tx_hash', 'log_index'],
    columns: {
      chain_id: ['bigint', (claim) => partOfId(claim.campaignId, 0)],
      tx_hash: ['bytea', (claim) => `\\x${claim.txHash.slice(2)}`],
      log_index: ['integer', (claim) => claim.logIndex],
      campaign_id: ['text', (claim) => claim.campaignId],
      incentive_position: ['smallint', (claim) => claim.incentiveIndex],
      claimant: ['text', (claim) => claim.claimant],
      amount: ['numeric', (claim) => claim.amount],
      amount_usd: ['numeric', (claim) => claim.amountUsd],
      block_timestamp: ['bigint', (claim) => claim.blockTimestamp],
    },
  },
  claimSignature: {
    identity: ['campaign_id', 'claimant', 'incentive_position'],
    isWide: true,
    columns: {
      campaign_id: ['text', (signature) => signature.campaignId],
      claimant: ['text', (signature) => signature.claimant],
      incentive_position: ['smallint', (signature) => signature.incentiveId],
      signature: ['text', (signature) => signature.signature],
      referrer: ['text', (signature) => signature.referrer],
    },
  },
  profile: {
    identity: ['user_address'],
    columns: {
      user_address: ['text', (profile) => profile.userAddress],
      eth_earned: ['numeric', (profile) => profile.ethEarned],
      score: ['double precision', (profile) => profile.score],
      streak_value: ['double precision', (profile) => profile.streak.value],
      streak_last_expiration_at: ['timestamptz', (profile) => toInstant(profile.streak.lastExpirationTime)],
      streak_next_expiration_at: ['timestamptz', (profile) => toInstant(profile.streak.nextExpirationTime)],
      streak_last_completion_at: ['timestamptz', (profile) => toInstant(profile.streak.lastCompletionTime)],
    },
  },
}

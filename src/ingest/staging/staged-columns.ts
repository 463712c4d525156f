import { claimTotals } from '../campaign-records.ts'
import type { IngestRecord, RecordType } from '../records.ts'

export type RecordOf<Type extends RecordType> = Extract<IngestRecord, { type: Type }>
export type Value = string | number | boolean | null | undefined

/**
 * The temporary table for the records of one type: its columns in SQL, what a record puts into each, and the columns
 * that make two records the same (the later one counts).
 */
interface StagingTable<Type extends RecordType> {
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

/** Totals of an incentive that its record leaves open with `""` are left out: they are derived. */
export const withoutUnknownAmounts = (incentive: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(incentive).filter(([key, value]) => !(claimTotals.has(key) && value === '')))

/** The columns that are read alike from a campaign's own record and from its metadata. */
const sharedColumns = {
  campaign_name: ['text', (record) => record.campaignName],
  template_id: ['text', (record) => record.templateId],
  // As the database writes it: it is compared as text too.
  action_template_id: ['uuid', (record) => record.actionTemplateId?.toLowerCase()],
  nft_image_uri: ['text', (record) => record.nftImageUri],
  nft_name: ['text', (record) => record.nftName],
  nft_metadata_id: ['text', (record) => record.nftMetadataId],
  project_image_uri: ['text', (record) => record.projectImageUri],
  project_url: ['text', (record) => record.projectUrl],
  token_image_uri: ['text', (record) => record.tokenImageUri],
  start_at: ['timestamptz', (record) => toInstant(record.startTime)],
  end_at: ['timestamptz', (record) => toInstant(record.endTime)],
  verification_level: ['text', (record) => record.verificationLevel],
  autocampaign_id: ['text', (record) => record.autocampaignId],
  action_token_chain_id: ['bigint', (record) => record.actionToken?.chainId],
  action_token_address: ['text', (record) => record.actionToken?.address],
  nft_collection_chain_id: ['bigint', (record) => record.nftCollection?.chainId],
  nft_collection_address: ['text', (record) => record.nftCollection?.address],
} satisfies Record<string, [string, (record: RecordOf<'campaign'> | RecordOf<'campaignMetadata'>) => Value]>

/** The columns of a campaign that its metadata can set, with their values; none: it sets nothing. */
const chosenColumns: Record<string, (metadata: RecordOf<'campaignMetadata'>) => unknown> = {
  ...Object.fromEntries(Object.entries(sharedColumns).map(([column, [, toValue]]) => [column, toValue])),
  creator: (metadata) => metadata.creator,
  custom_action: (metadata) => metadata.customAction,
  distribution_channels: (metadata) => metadata.distributionChannels,
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
export const stagingTables: { [Type in RecordType]: StagingTable<Type> } = {
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
      campaign_index: ['text', (campaign) => campaign.campaignIndex ?? partOfId(campaign.id, 2)],
      action: ['text', (campaign) => campaign.action],
      budget: ['text', (campaign) => campaign.budget],
      owner: ['text', (campaign) => campaign.owner],
      creator: ['text', (campaign) => campaign.creator ?? campaign.owner],
      validator: ['text', (campaign) => campaign.validator],
      block_timestamp: ['bigint', (campaign) => campaign.blockTimestamp],
      tx_hash: ['text', (campaign) => campaign.txHash],
      protocol_fee: ['numeric', (campaign) => campaign.protocolFee],
      max_participants: ['numeric', (campaign) => campaign.maxParticipants],
      max_claims_per_claimant: ['numeric', ({ maxClaimsPerClaimant: max }) => (max === 'unlimited' ? 'Infinity' : max)],
      action_claimant: ['jsonb', (campaign) => json(campaign.actionClaimant)],
      created_at_blockchain_numbers: ['jsonb', (campaign) => json(campaign.createdAtBlockchainNumbers)],
      ...sharedColumns,
      custom_action: ['boolean', (campaign) => campaign.customAction ?? false],
      distribution_channels: ['jsonb', (campaign) => json(campaign.distributionChannels ?? [])],
      incentives: ['jsonb', (campaign) => json(campaign.incentives.map(withoutUnknownAmounts))],
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

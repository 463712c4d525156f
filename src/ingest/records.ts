import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { ActionClaimant, ActionStep, actionCategories } from '../schemas/campaigns/action-steps.ts'
import { AllowListType } from '../schemas/campaigns/allow-lists.ts'
import { incentiveVariants } from '../schemas/campaigns/incentives.ts'
import { name128 } from '../schemas/parameters/query-values.ts'
import {
  Address,
  BaseUnits,
  BlockTimestamp,
  CampaignId,
  ChainId,
  DecimalAmount,
  Instant,
  MAX_SAFE_INTEGER,
  TransactionHash,
  text,
} from '../schemas/primitives.ts'
import { ref, refOrNull, stringOrNull, wordOrNull } from '../schemas/references.ts'

/*
 * The records that the import accepts, one a line: `{"type": …}` and the field names of the API. They are made of the
 * API's own schemas; unknown keys are faults.
 */

/** The schema of a record of a type: unknown keys are faults. */
export const recordOf = <Name extends string, Fields extends TProperties>(
  type: Name,
  description: string,
  fields: Fields,
) => Type.Object({ type: Type.Literal(type), ...fields }, { additionalProperties: false, description })

const orNull = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] })
const nullableNumber = (description: string) =>
  Type.Optional(Type.Unsafe<number | null>({ type: ['number', 'null'], description }))
const optionalText = (description: string) => Type.Optional(stringOrNull(description))
const optionalInstant = (description: string) => Type.Optional(refOrNull(Instant, description))

export const TokenRecord = recordOf('token', 'A token; identified by chain and address.', {
  chainId: ref(ChainId),
  address: ref(Address),
  decimals: Type.Integer({ minimum: 0, maximum: 255, description: 'Decimals of the token.' }),
  name: text('Name of the token.'),
  symbol: text('Symbol of the token.'),
  imageUri: text('URI of the image of the token.'),
  whitelisted: Type.Optional(Type.Boolean({ description: 'Whether the default filter shows its campaigns; `false`.' })),
  priceUsd: Type.Optional(refOrNull(DecimalAmount, 'US dollars for one whole token.')),
  marketCap: nullableNumber('US dollars.'),
  priceChange24Hr: nullableNumber('Percent.'),
  volume24Hr: nullableNumber('US dollars.'),
  holders: nullableNumber('Number of holders.'),
})
export type TokenRecord = Static<typeof TokenRecord>

export const TokenPriceRecord = recordOf(
  'tokenPrice',
  'The price of a token from an instant on, until the next; identified by chain, address and instant.',
  {
    chainId: ref(ChainId),
    address: ref(Address),
    at: ref(Instant),
    priceUsd: refOrNull(DecimalAmount, 'US dollars for one whole token; null withdraws the price of that instant.'),
  },
)
export type TokenPriceRecord = Static<typeof TokenPriceRecord>

export const ContractRecord = recordOf('contract', 'The name of a contract; identified by chain and address.', {
  chainId: ref(ChainId),
  address: ref(Address),
  name: text('Name of the contract.'),
})
export type ContractRecord = Static<typeof ContractRecord>

export const ActionTemplateRecord = recordOf('actionTemplate', 'A ready-made action; identified by its ID.', {
  id: Type.String({ format: 'uuid', description: 'UUID.' }),
  projectId: text('Project the action belongs to.'),
  actionType: name128('Kind of the action, for example `swap`.'),
  projectImage: text('URI of the image of the project.'),
  description: optionalText('Description of the action.'),
  category: Type.Optional(wordOrNull(actionCategories, 'Category of the action.')),
})
export type ActionTemplateRecord = Static<typeof ActionTemplateRecord>

/** The figures of an incentive for which indexers are known to write `""` where they do not know. */
export const claimFigures: ReadonlySet<string> = new Set(['claimedAmount', 'totalAmountClaimed', 'totalClaims'])
const unknownAmount = Type.Optional(
  Type.Unsafe<string>({ anyOf: [ref(BaseUnits), { type: 'string', const: '' }], description: 'Empty: unknown.' }),
)

/** An incentive as a record gives it: without `metadata`, which comes from the token. */
function asIncentiveRecord(variant: TObject) {
  const { metadata: _, ...properties } = variant.properties
  for (const figure of claimFigures) {
    if (figure in properties) properties[figure] = unknownAmount
  }
  return Type.Object(properties, { additionalProperties: false })
}

const IncentiveRecord = Type.Unsafe<Record<string, unknown> & { type: string }>({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: incentiveVariants.map(asIncentiveRecord),
})

/** Addresses that a simple list admits or denies. */
const listedAddresses = Type.Optional(
  Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: ref(Address), maxItems: 1_000_000 }),
)

/** What the validator allows one claimant on one incentive. */
const MaxClaimsPerClaimant = Type.Unsafe<number | 'unlimited' | null>({
  type: ['integer', 'string', 'null'],
  minimum: 1,
  maximum: MAX_SAFE_INTEGER,
  pattern: '^unlimited$',
  description: 'Claims that the validator allows one claimant on one incentive, or `unlimited`; null: unknown.',
  'x-expected': 'an integer from 1 to 9007199254740991, "unlimited" or null',
})

const AllowListRecord = Type.Object(
  {
    owner: ref(Address),
    contractAddress: ref(Address),
    type: ref(AllowListType),
    addresses: listedAddresses,
    accessListId: Type.Optional(name128('Access list that decides; only for an OffchainAccessList.')),
  },
  { additionalProperties: false },
)

const TokenReference = Type.Object({ chainId: ref(ChainId), address: ref(Address) }, { additionalProperties: false })

/** What is known of a campaign that no chain tells. */
const metadataFields = {
  creator: Type.Optional(refOrNull(Address, 'Defaults to the owner.')),
  campaignName: optionalText('Readable name.'),
  templateId: optionalText('ID of the template.'),
  actionTemplateId: Type.Optional(
    Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid', description: 'Action template.' }),
  ),
  customAction: Type.Optional(Type.Boolean({ description: 'Whether the template was customised; `false`.' })),
  nftImageUri: optionalText('URI of the image of the NFT.'),
  nftName: optionalText('Name of the NFT.'),
  nftMetadataId: optionalText('ID of the metadata of the NFT.'),
  projectImageUri: optionalText('URI of the image of the project.'),
  projectUrl: optionalText('URL of the project.'),
  tokenImageUri: optionalText('URI of the image of the token.'),
  startTime: optionalInstant('Start of the claim period, inclusive.'),
  endTime: optionalInstant('Claims are possible until before this instant.'),
  verificationLevel: optionalText('Verification that users need.'),
  distributionChannels: Type.Optional(
    Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: name128(), maxItems: 1000 }),
  ),
  autocampaignId: Type.Optional(orNull(name128())),
  actionToken: Type.Optional(orNull(TokenReference)),
  nftCollection: Type.Optional(orNull(TokenReference)),
}

export const CampaignRecord = recordOf('campaign', 'A campaign; identified by its ID and replaced whole.', {
  id: ref(CampaignId),
  action: ref(Address),
  budget: ref(Address),
  owner: ref(Address),
  validator: ref(Address),
  blockTimestamp: ref(BlockTimestamp),
  txHash: ref(TransactionHash),
  protocolFee: ref(BaseUnits),
  maxParticipants: ref(BaseUnits),
  maxClaimsPerClaimant: Type.Optional(MaxClaimsPerClaimant),
  incentives: Type.Array(IncentiveRecord, { maxItems: 1000 }),
  allowList: Type.Optional(orNull(AllowListRecord)),
  actionSteps: Type.Optional(
    Type.Unsafe<ActionStep[] | null>({ type: ['array', 'null'], items: ref(ActionStep), maxItems: 1000 }),
  ),
  campaignIndex: Type.Optional(ref(BaseUnits, 'Defaults to the identifier of the ID.')),
  actionClaimant: Type.Optional(refOrNull(ActionClaimant)),
  createdAtBlockchainNumbers: Type.Optional(
    Type.Unsafe<Record<string, string> | null>({
      type: ['object', 'null'],
      propertyNames: {
        pattern: '^(0|[1-9][0-9]{0,15})$',
        'x-expected': 'an object whose keys are chain IDs',
      },
      additionalProperties: ref(BaseUnits),
      maxProperties: 1000,
    }),
  ),
  ...metadataFields,
  incentivePositions: Type.Optional(
    Type.Unsafe<readonly number[] | null>({
      type: ['array', 'null'],
      items: Type.Integer({ minimum: 0, maximum: 32_767 }),
      maxItems: 1000,
      description: 'Index of each incentive, ascending, where some are left out; else they count from 0.',
    }),
  ),
})
export type CampaignRecord = Static<typeof CampaignRecord>

export const CampaignMetadataRecord = recordOf(
  'campaignMetadata',
  'What no chain tells of a campaign; identified by its ID and replaced whole. Where the record of the campaign has the same keys, these win.',
  {
    id: ref(CampaignId),
    ...metadataFields,
    accessListId: Type.Optional(orNull(name128('Access list that decides; only for an OffchainAccessList.'))),
    allowListAddresses: listedAddresses,
  },
)
export type CampaignMetadataRecord = Static<typeof CampaignMetadataRecord>

const incentivePosition = Type.Integer({ minimum: 0, maximum: 32_767, description: 'Index of the incentive, from 0.' })

export const ClaimRecord = recordOf('claim', 'A paid claim; identified by chain, transaction and log index.', {
  campaignId: ref(CampaignId),
  incentiveIndex: incentivePosition,
  claimant: ref(Address),
  amount: ref(BaseUnits),
  txHash: ref(TransactionHash),
  logIndex: Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'Index of the log entry.' }),
  blockTimestamp: ref(BlockTimestamp),
  amountUsd: Type.Optional(refOrNull(DecimalAmount, 'US dollars; null where unknown.')),
})
export type ClaimRecord = Static<typeof ClaimRecord>

export const ClaimSignatureRecord = recordOf('claimSignature', 'A signed claim payload.', {
  campaignId: ref(CampaignId),
  incentiveId: incentivePosition,
  claimant: ref(Address),
  signature: text(
    'All that the claim hands to the validator, hexadecimal; of a signature alone no transaction is made.',
    { maxLength: 65_536, minLength: 1 },
  ),
  referrer: ref(Address),
})
export type ClaimSignatureRecord = Static<typeof ClaimSignatureRecord>

export const AccessListRecord = recordOf('accessList', 'An off-chain list of addresses; identified by its ID.', {
  id: name128('ID of the list.'),
  userId: name128('User the list belongs to.'),
  name: text('Name of the list.'),
  createdAt: ref(Instant),
  icon: Type.Optional(text('URI of the icon; empty where there is none.')),
  members: Type.Optional(Type.Array(ref(Address), { maxItems: 1_000_000 })),
})
export type AccessListRecord = Static<typeof AccessListRecord>

export const ProfileRecord = recordOf('profile', 'The profile of a user; identified by the address.', {
  userAddress: ref(Address),
  ethEarned: ref(BaseUnits, 'wei.'),
  score: Type.Number(),
  streak: Type.Object(
    {
      value: Type.Number(),
      lastExpirationTime: ref(Instant),
      nextExpirationTime: ref(Instant),
      lastCompletionTime: ref(Instant),
    },
    { additionalProperties: false },
  ),
})
export type ProfileRecord = Static<typeof ProfileRecord>

/** The record schemas by the `type` that names them, in an order in which each refers only to earlier ones. */
export const recordSchemas = {
  token: TokenRecord,
  tokenPrice: TokenPriceRecord,
  contract: ContractRecord,
  actionTemplate: ActionTemplateRecord,
  accessList: AccessListRecord,
  campaign: CampaignRecord,
  campaignMetadata: CampaignMetadataRecord,
  claim: ClaimRecord,
  claimSignature: ClaimSignatureRecord,
  profile: ProfileRecord,
} as const

export type RecordType = keyof typeof recordSchemas

export type ImportRecord = {
  [Kind in RecordType]: Static<(typeof recordSchemas)[Kind]>
}[RecordType]

/** What the chain of a campaign that is followed tells, and a record cannot. */
interface FollowedTerms {
  /** Of an OffchainAccessList: IDs of the access lists that admit, and of those that keep out, known or not. */
  accessLists: { allowed: readonly string[]; denied: readonly string[] } | null
}

/** What a batch is made of. */
export type IngestRecord = Exclude<ImportRecord, CampaignRecord> | (CampaignRecord & Partial<FollowedTerms>)

export const recordTypes = Object.keys(recordSchemas) as RecordType[]

import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { actionCategories } from '../schemas/campaigns/actions.ts'
import { name128 } from '../schemas/parameters/query-values.ts'
import {
  Address,
  BaseUnits,
  BlockTimestamp,
  Bytes32,
  CampaignId,
  ChainId,
  DecimalAmount,
  Instant,
  TransactionHash,
  text,
} from '../schemas/primitives.ts'
import { optionalText, recordOf } from '../schemas/record-fields.ts'
import { ref, refOrNull, wordOrNull } from '../schemas/schema-builders.ts'
import { CampaignMetadataRecord, CampaignRecord } from './campaign-records.ts'

/*
 * The records that the import accepts, one a line: `{"type": …}` and the field names of the API. They are made of the
 * API's own schemas; unknown keys are faults. Those of campaigns are in `campaign-records.ts`.
 */

const nullableNumber = (description: string) =>
  Type.Optional(Type.Unsafe<number | null>({ type: ['number', 'null'], description }))

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

/** Leaves of a tree this deep would be 2^64 accounts. */
const MAX_PROOF_WORDS = 64

export const ClaimProofRecord = recordOf(
  'claimProof',
  'What is owed to an account by a TimeBasedIncentive, with its Merkle proof; identified by campaign and claimant.',
  {
    campaignId: ref(CampaignId),
    claimant: ref(Address),
    cumulativeAmount: ref(BaseUnits, 'What is owed in all, claimed or not, in base units of the reward token.'),
    proof: Type.Array(ref(Bytes32), { maxItems: MAX_PROOF_WORDS, description: 'The words of the proof, in order.' }),
    root: ref(Bytes32, 'The root that the proof leads to.'),
  },
)
export type ClaimProofRecord = Static<typeof ClaimProofRecord>

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
  claimProof: ClaimProofRecord,
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

/** The records that have a working table and rows of their own: a proof is stored where others have a signature. */
export type StagedType = Exclude<RecordType, 'claimProof'>

/** What a batch is made of. */
export type IngestRecord =
  | Exclude<ImportRecord, CampaignRecord | ClaimProofRecord>
  | (CampaignRecord & Partial<FollowedTerms>)

export const recordTypes = Object.keys(recordSchemas) as RecordType[]
export const stagedTypes = recordTypes.filter((type): type is StagedType => type !== 'claimProof')

/** The keys that identify each type of record: the content of a removal. */
const identityKeys = {
  token: { chainId: ref(ChainId), address: ref(Address) },
  tokenPrice: { chainId: ref(ChainId), address: ref(Address), at: ref(Instant) },
  contract: { chainId: ref(ChainId), address: ref(Address) },
  actionTemplate: { id: ActionTemplateRecord.properties.id },
  accessList: { id: AccessListRecord.properties.id },
  campaign: { id: ref(CampaignId) },
  campaignMetadata: { id: ref(CampaignId) },
  claim: {
    chainId: ref(ChainId, 'Chain of the campaign.'),
    txHash: ref(TransactionHash),
    logIndex: ClaimRecord.properties.logIndex,
  },
  claimSignature: {
    campaignId: ref(CampaignId),
    claimant: ref(Address),
    incentiveId: ClaimSignatureRecord.properties.incentiveId,
  },
  claimProof: { campaignId: ref(CampaignId), claimant: ref(Address) },
  profile: { userAddress: ref(Address) },
} satisfies Record<RecordType, TProperties>

type IdentityKey<Type extends RecordType> = Type extends RecordType ? keyof (typeof identityKeys)[Type] : never

/** Removes the record with an identity; `of` is its type. */
export interface RemovalRecord<Of extends RecordType = RecordType>
  extends Partial<Record<IdentityKey<RecordType>, string | number>> {
  type: 'removal'
  of: Of
}
export const RemovalRecord = Type.Unsafe<RemovalRecord>({
  type: 'object',
  required: ['type', 'of'],
  discriminator: { propertyName: 'of' },
  oneOf: Object.entries(identityKeys).map(([of, keys]) =>
    recordOf('removal', `Removes a record of the type ${of}.`, { of: Type.Literal(of), ...keys }),
  ),
})

/** The `type` that a line of an import may have. */
export const lineTypes = [...recordTypes, 'removal'] as const
export type LineType = (typeof lineTypes)[number]

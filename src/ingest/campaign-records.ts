import { type Static, type TObject, Type } from '@sinclair/typebox'
import { ActionClaimant, ActionStep } from '../schemas/campaigns/actions.ts'
import { AllowListType } from '../schemas/campaigns/allow-lists.ts'
import { incentiveVariants } from '../schemas/campaigns/incentives.ts'
import { name128 } from '../schemas/parameters/query-values.ts'
import {
  Address,
  BaseUnits,
  BlockTimestamp,
  CampaignId,
  ChainId,
  MAX_SAFE_INTEGER,
  TransactionHash,
} from '../schemas/primitives.ts'
import { ref, refOrNull } from '../schemas/schema-builders.ts'
import { optionalInstant, optionalText, orNull, recordOf } from './record-fields.ts'

/** The totals of an incentive for which indexers are known to write `""` where they do not know. */
export const claimTotals: ReadonlySet<string> = new Set(['claimedAmount', 'totalAmountClaimed', 'totalClaims'])
const unknownAmount = Type.Optional(
  Type.Unsafe<string>({ anyOf: [ref(BaseUnits), { type: 'string', const: '' }], description: 'Empty: unknown.' }),
)

/** An incentive as a record gives it: without `metadata`, which comes from the token. */
function asIncentiveRecord(variant: TObject) {
  const { metadata: _, ...properties } = variant.properties
  for (const name of claimTotals) {
    if (name in properties) properties[name] = unknownAmount
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

import { type Static, type TObject, Type } from '@sinclair/typebox'
import { metadataFields, optionalFields, recordSchemasOf, requiredFields } from '../database/campaign-fields.ts'
import { ActionStep } from '../schemas/campaigns/actions.ts'
import { AllowListType } from '../schemas/campaigns/allow-lists.ts'
import { incentiveVariants } from '../schemas/campaigns/incentives.ts'
import { name128 } from '../schemas/parameters/query-values.ts'
import { Address, BaseUnits, CampaignId, ChainId, MAX_SAFE_INTEGER } from '../schemas/primitives.ts'
import { orNull, recordOf } from '../schemas/record-fields.ts'
import { ref } from '../schemas/schema-builders.ts'

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

/** What no chain tells of a campaign. */
const metadataSchemas = {
  ...recordSchemasOf(metadataFields),
  actionToken: Type.Optional(orNull(TokenReference)),
  nftCollection: Type.Optional(orNull(TokenReference)),
}

export const CampaignRecord = recordOf('campaign', 'A campaign; identified by its ID and replaced whole.', {
  id: ref(CampaignId),
  ...recordSchemasOf(requiredFields),
  maxClaimsPerClaimant: Type.Optional(MaxClaimsPerClaimant),
  incentives: Type.Array(IncentiveRecord, { maxItems: 1000 }),
  allowList: Type.Optional(orNull(AllowListRecord)),
  actionSteps: Type.Optional(
    Type.Unsafe<ActionStep[] | null>({ type: ['array', 'null'], items: ref(ActionStep), maxItems: 1000 }),
  ),
  ...recordSchemasOf(optionalFields),
  ...metadataSchemas,
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
    ...metadataSchemas,
    accessListId: Type.Optional(orNull(name128('Access list that decides; only for an OffchainAccessList.'))),
    allowListAddresses: listedAddresses,
  },
)
export type CampaignMetadataRecord = Static<typeof CampaignMetadataRecord>

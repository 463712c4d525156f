import { type TProperties, Type } from '@sinclair/typebox'
import { Address, CampaignId, ChainId, Instant, TransactionHash } from '../schemas/primitives.ts'
import { ref } from '../schemas/references.ts'
import {
  AccessListRecord,
  ActionTemplateRecord,
  ClaimRecord,
  ClaimSignatureRecord,
  type RecordType,
  recordOf,
  recordTypes,
} from './records.ts'

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
  profile: { userAddress: ref(Address) },
} satisfies Record<RecordType, TProperties>

type IdentityKey<Type extends RecordType> = Type extends RecordType ? keyof (typeof identityKeys)[Type] : never

/** Removes the record with an identity; `of` is its type. */
export interface RemovalRecord extends Partial<Record<IdentityKey<RecordType>, string | number>> {
  type: 'removal'
  of: RecordType
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

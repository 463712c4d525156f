import { type TSchema, Type } from '@sinclair/typebox'
import { toSnakeCase } from 'drizzle-orm/casing'
import { ActionClaimant } from '../schemas/campaigns/actions.ts'
import { name128 } from '../schemas/parameters/query-values.ts'
import { Address, BaseUnits, BlockTimestamp, Instant, TransactionHash } from '../schemas/primitives.ts'
import { optionalInstant, optionalText, orNull } from '../schemas/record-fields.ts'
import { ref, refOrNull, stringOrNull } from '../schemas/schema-builders.ts'
import { campaigns } from './tables/campaigns.ts'

/*
 * The fields of a campaign that each are one column of its row. From these lists follow the record that is imported, how it is
 * staged and stored, what metadata is laid over it, what is exported, what is read to show a campaign, and the schemas of
 * responses. They are in the order of the exported record. How a value is written at each station follows from the SQL type of
 * its column.
 */

type CampaignColumn = keyof typeof campaigns.$inferSelect

export interface CampaignField {
  /** Its column, if that has another name. */
  column?: CampaignColumn
  /** Its schema in a record. */
  record: TSchema
  /** Its value in a campaign whose record leaves it out; else null. */
  defaultOf?: (campaign: { id: string; owner: string }) => unknown
  /** Its schema in lists and details of campaigns. */
  list?: TSchema
  /** Its schema in details, if lists do not show it. */
  detail?: TSchema
}

/** What every record of a campaign has. */
export const requiredFields = {
  action: { record: ref(Address), list: ref(Address, 'Contract that defines the action.') },
  budget: { record: ref(Address), list: ref(Address, 'Account that funds the campaign.') },
  owner: { record: ref(Address), list: ref(Address, 'Owner of the campaign.') },
  validator: { record: ref(Address), list: ref(Address, 'Address that can sign claim payloads.') },
  blockTimestamp: {
    record: ref(BlockTimestamp),
    list: ref(BlockTimestamp, 'Time of the block that created the campaign, in Unix seconds.'),
  },
  txHash: { record: ref(TransactionHash), list: ref(TransactionHash, 'Transaction that created the campaign.') },
  protocolFee: {
    record: ref(BaseUnits),
    list: ref(BaseUnits, 'Fee of the protocol in basis points of what is paid, on top of it: "1250" is 12.5 percent.'),
  },
  maxParticipants: {
    record: ref(BaseUnits),
    list: ref(BaseUnits, 'Maximum number of claimants; "0": no maximum.'),
  },
} satisfies Record<string, CampaignField>

/** What a record of a campaign may have, and its metadata may not. */
export const optionalFields = {
  campaignIndex: {
    record: Type.Optional(ref(BaseUnits, 'Defaults to the identifier of the ID.')),
    defaultOf: ({ id }) => id.split(':')[2],
    list: ref(BaseUnits, 'Number of the campaign in its core contract: the last part of its ID.'),
  },
  actionClaimant: { record: Type.Optional(refOrNull(ActionClaimant)) },
  createdAtBlockchainNumbers: {
    record: Type.Optional(
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
  },
} satisfies Record<string, CampaignField>

/** What no chain tells of a campaign: its own record may have it, and its metadata, which takes precedence. */
export const metadataFields = {
  creator: {
    record: Type.Optional(refOrNull(Address, 'Defaults to the owner.')),
    defaultOf: ({ owner }) => owner,
  },
  campaignName: {
    record: optionalText('Readable name.'),
    list: stringOrNull('Name of the campaign; `null` if unknown.'),
  },
  templateId: {
    record: optionalText('ID of the template.'),
    detail: stringOrNull('ID of the template; `null` if unknown.'),
  },
  actionTemplateId: {
    record: Type.Optional(
      Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid', description: 'Action template.' }),
    ),
    list: stringOrNull('ID of the action template; `null` if the campaign uses none.'),
  },
  customAction: {
    record: Type.Optional(Type.Boolean({ description: 'Whether the template was customised; `false`.' })),
    defaultOf: () => false,
  },
  nftImageUri: {
    record: optionalText('URI of the image of the NFT.'),
    list: stringOrNull('URI of an image of the NFT; `null` if unknown.'),
  },
  nftName: {
    record: optionalText('Name of the NFT.'),
    list: stringOrNull('Name of the NFT; `null` if unknown.'),
  },
  nftMetadataId: {
    record: optionalText('ID of the metadata of the NFT.'),
    detail: stringOrNull('ID of the metadata of the NFT; `null` if unknown.'),
  },
  projectImageUri: {
    record: optionalText('URI of the image of the project.'),
    list: stringOrNull('URI of an image of the project; `null` if unknown.'),
  },
  projectUrl: { record: optionalText('URL of the project.') },
  tokenImageUri: {
    record: optionalText('URI of the image of the token.'),
    list: stringOrNull('URI of an image of the token; `null` if unknown.'),
  },
  startTime: {
    column: 'startAt',
    record: optionalInstant('Start of the claim period, inclusive.'),
    list: refOrNull(Instant, 'Start of the claim period, inclusive; `null`: no start.'),
  },
  endTime: {
    column: 'endAt',
    record: optionalInstant('Claims are possible until before this instant.'),
    list: refOrNull(Instant, 'End of the claim period, exclusive; `null`: no end.'),
  },
  verificationLevel: { record: optionalText('Verification that users need.') },
  distributionChannels: {
    record: Type.Optional(Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: name128(), maxItems: 1000 })),
    defaultOf: () => [],
  },
  autocampaignId: { record: Type.Optional(orNull(name128())) },
} satisfies Record<string, CampaignField>

/** All of them. */
export const campaignFields = { ...requiredFields, ...optionalFields, ...metadataFields }
type CampaignFields = typeof campaignFields

type Fields = Record<string, CampaignField>

/** The schemas of these fields in a record. */
export const recordSchemasOf = <Listed extends Fields>(fields: Listed) =>
  Object.fromEntries(Object.entries(fields).map(([name, { record }]) => [name, record])) as {
    [Name in keyof Listed]: Listed[Name]['record']
  }

/** How a campaign is shown. */
export type Form = 'list' | 'detail'

/** The schemas of those of these fields that a form shows. */
type ShownSchemas<Listed extends Fields, In extends Form> = {
  [Name in keyof Listed as Listed[Name] extends Record<In, TSchema> ? Name : never]: Listed[Name] extends Record<
    In,
    infer Schema
  >
    ? Schema
    : never
}

export const shownSchemasOf = <Listed extends Fields, In extends Form>(fields: Listed, form: In) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => (field[form] ? [[name, field[form]]] : [])),
  ) as ShownSchemas<Listed, In>

/** What a form shows of the fields that a record leaves out and that have no default. */
export const unsaidIn = (form: Form) =>
  Object.fromEntries(
    Object.entries<CampaignField>({ ...optionalFields, ...metadataFields })
      .filter(([, field]) => (field.list ?? field[form]) !== undefined && field.defaultOf === undefined)
      .map(([name]) => [name, null]),
  )

/** Names of the fields that lists or details show. */
export type ShownName = {
  [Name in keyof CampaignFields]: CampaignFields[Name] extends { list: TSchema } | { detail: TSchema } ? Name : never
}[keyof CampaignFields]

type ColumnOf<Name extends keyof CampaignFields> = CampaignFields[Name] extends { column: infer Column } ? Column : Name

/** What a query by Drizzle finds in the column of a field. */
export type ColumnValue<Name extends keyof CampaignFields> = (typeof campaigns.$inferSelect)[ColumnOf<Name> &
  CampaignColumn]

/** These fields, each with its column. */
export const withColumns = (fields: Fields) =>
  Object.entries(fields).map(([name, field]) => {
    const property = field.column ?? (name as CampaignColumn)
    const column = campaigns[property]
    // Its type without its precision.
    return {
      name,
      field,
      column,
      sqlName: toSnakeCase(property),
      sqlType: column.getSQLType().replace(/ ?\(.*?\)/, ''),
    }
  })

import { type Static, Type } from '@sinclair/typebox'
import { Address, ChainId, text } from '../primitives.ts'
import { component, openEnumeration, ref, word } from '../schema-builders.ts'

/** What action templates are about. */
export const actionCategories = [
  'defi',
  'nft',
  'gaming',
  'social',
  'bridge',
  'governance',
  'payments',
  'other',
] as const

/** Whether a signature is that of an event or of a function. */
export const SignatureType = word(['event', 'function'], 'Whether the signature belongs to an event or a function.', {
  $id: 'SignatureType',
})

/** The condition on an event field or a function argument. */
export const ActionStepParameters = component('ActionStepParameters', 'Condition on a field of the action.', {
  filterType: openEnumeration('Number of the comparison', {
    EQUAL: 'equal',
    NOT_EQUAL: 'not equal',
    GREATER_THAN: 'greater than',
    LESS_THAN: 'less than',
    CONTAINS: 'contains',
    REGEX: 'regular expression',
    GREATER_THAN_OR_EQUAL: 'greater than or equal',
    LESS_THAN_OR_EQUAL: 'less than or equal',
  }),
  fieldType: openEnumeration('Type of the field', {
    UINT: 'unsigned integer',
    ADDRESS: 'address',
    BYTES: 'bytes',
    STRING: 'string',
    TUPLE: 'tuple',
    INT: 'signed integer',
  }),
  fieldIndex: Type.Integer({
    description:
      'Index of the compared event field or function argument, from 0. 255 with `filterType` 0 and `fieldType` 2: no condition. Of a tuple: up to five indexes of 6 bits, the lowest first, ended by 63.',
  }),
  filterData: text('Value to compare with, encoded according to the field type.', { maxLength: 65_536 }),
})

/** One on-chain action that must be completed before the incentives can be claimed. */
export const ActionStep = component('ActionStep', 'An on-chain action that must be completed before a claim.', {
  chainId: ref(ChainId, 'Chain on which the action happens.'),
  claimant: Type.Optional(ref(Address, 'Who claims for this step; absent if not recorded.')),
  signature: text('Event topic or function selector, hexadecimal.', { maxLength: 256 }),
  signatureName: text('Readable signature, for example `Transfer(address,address,uint256)`.'),
  signatureType: ref(SignatureType, 'Of an event or a function.'),
  actionType: Type.Integer({ description: 'Kind of the action: a number defined by the protocol.' }),
  targetContract: ref(Address, 'Contract that the action targets; the zero address: any contract.'),
  parameters: ref(ActionStepParameters, 'Condition on one field of the action.'),
})
export type ActionStep = Static<typeof ActionStep>

/** How the claimant's address is read from a valid action transaction. */
export const ActionClaimant = component('ActionClaimant', 'How to extract the claimant from an action transaction.', {
  signature: text('Event topic or function selector, hexadecimal.', { maxLength: 256 }),
  signatureName: text('Readable signature.'),
  signatureType: ref(SignatureType, 'Of an event or a function.'),
  fieldIndex: Type.Integer({
    description: 'Index of the field or argument with the claimant, from 0; 255: the sender.',
  }),
  targetContract: ref(Address, 'Contract with the event or function; the zero address: any contract.'),
  targetContractName: text('Name of the target contract.'),
  chainId: ref(ChainId, 'Chain of the target contract.'),
})
export type ActionClaimant = Static<typeof ActionClaimant>

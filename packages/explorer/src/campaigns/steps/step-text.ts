import type { Campaign } from 'reward-campaigns-client'
import { ordinal, type Sentence } from '../prose.ts'
import { type ContractNames, contractNames, contractWords, targetWords } from './contract-names.ts'
import { pathWords, RESERVED_INDEX, toAmountPath, toTuplePath } from './field-index.ts'
import { decoded, FIELD_TYPES } from './filter-values.ts'
import { readSignature } from './signatures.ts'

export type ActionStep = Campaign['actionSteps'][number]

/** What a field must be to a value, by the numbers of the comparisons. */
const COMPARISONS = [
  'be',
  'not be',
  'be greater than',
  'be less than',
  'contain',
  'match the regular expression',
  'be at least',
  'be at most',
] as const

/** What has to be done, in words: where, what, and with which value. @param names of what it may speak of. */
export function wordsOf(step: ActionStep, names: ContractNames = new Map()): Sentence {
  const { chainId, targetContract, signatureType, parameters } = step
  return [
    'A transaction on ',
    { chainId },
    signatureType === 'event' ? ' that emits ' : ' that calls ',
    called(step),
    signatureType === 'event' ? ' from ' : ' of ',
    ...targetWords(chainId, targetContract, names),
    ...(isAnything(parameters) ? [', with any values'] : conditionOf(step, names)),
    '.',
  ]
}

/** A step has to have a condition: clients have one that means that there is none. */
const isAnything = ({ filterType, fieldType, fieldIndex }: ActionStep['parameters']) =>
  fieldIndex === RESERVED_INDEX && COMPARISONS[filterType] === 'be' && FIELD_TYPES[fieldType] === 'bytes'

/** The address that a value of the step has to be, if it has to be one. */
export function comparedAddress({ chainId, parameters: { filterType, fieldType, filterData } }: ActionStep) {
  const value = COMPARISONS[filterType] === 'be' ? decoded(filterData, fieldType, chainId) : ''
  return typeof value === 'object' && 'address' in value ? value.address : undefined
}

function conditionOf(step: ActionStep, names: ContractNames): Sentence {
  const { chainId, parameters } = step
  const { filterType, fieldType, filterData } = parameters
  const comparison = COMPARISONS[filterType] ?? `compare, in a way without a name here (${filterType}), with`
  const value = decoded(filterData, fieldType, chainId)
  return [
    '; ',
    ...fieldOf(step),
    ` must ${comparison} `,
    ...(typeof value === 'object' && 'address' in value ? contractWords(chainId, value.address, names) : [value]),
  ]
}

/** By its name, where that is known; else by what a chain knows it by. */
const called = ({ signatureName, signature }: Pick<ActionStep, 'signatureName' | 'signature'>) => ({
  code: readSignature(signatureName)?.name ?? (signatureName.trim() || signature),
})

/** The field that is compared. A tuple's index leads into it. */
function fieldOf({ signatureName, signatureType, parameters: { fieldIndex, fieldType } }: ActionStep): Sentence {
  const what = signatureType === 'event' ? 'field' : 'argument'
  const type = FIELD_TYPES[fieldType] ?? `type ${fieldType}`
  const field = readSignature(signatureName)?.fields[fieldIndex]
  const path = type === 'tuple' ? toTuplePath(fieldIndex) : [fieldIndex]
  if (path.length === 0 || fieldIndex < 0) return [`its ${what} with index ${fieldIndex} (${type})`]
  if (type === 'tuple') return [path.length > 1 ? 'the ' : 'its ', `${pathWords(path, what, 'its')} (tuple)`]
  const name: Sentence = field?.name === undefined ? [] : [' ', { code: field.name }]
  return [
    `its ${ordinal(fieldIndex + 1)} ${what}`,
    ...name,
    ' (',
    field === undefined ? type : { code: field.type },
    ')',
  ]
}

/** Which field of which event or function the amount of the action is, for rewards that are computed from it. */
export function amountWords(
  criteria: {
    criteriaType: 0 | 1
    signature: string
    fieldIndex: number
    targetContract: string
    valueType?: 0 | 1
  },
  chainId: number,
  steps: readonly ActionStep[],
  names: ContractNames = new Map(),
): Sentence {
  const { criteriaType, signature, fieldIndex, targetContract, valueType } = criteria
  const known = steps.find((step) => step.signature.toLowerCase() === signature.toLowerCase())
  const isScaled = valueType !== undefined
  if (isScaled && fieldIndex === RESERVED_INDEX)
    return ['The amount of the action is what its transaction pays for gas.']
  const [what, where] = criteriaType === 1 ? ['argument', 'function'] : ['field', 'event']
  return [
    `The amount of the action is the ${pathWords(toAmountPath(fieldIndex, isScaled), what)} of the ${where} `,
    called({ signature, signatureName: known?.signatureName ?? '' }),
    ' of ',
    ...targetWords(known?.chainId ?? chainId, targetContract, names),
    ...(!isScaled ? [] : [valueType === 1 ? ', which has 18 decimals' : ', taken as it is']),
    '.',
  ]
}

/** Who is paid for an action. */
export function claimantWords(claimant: NonNullable<Campaign['actionClaimant']>): Sentence {
  const { signatureType, fieldIndex, targetContract, chainId } = claimant
  if (fieldIndex === RESERVED_INDEX) return ['The sender of the transaction is paid.']
  const isFunction = signatureType === 'function'
  return [
    `The ${ordinal(fieldIndex + 1)} ${isFunction ? 'argument of the function' : 'field of the event'} `,
    called(claimant),
    ' of ',
    ...targetWords(chainId, targetContract, contractNames({ actionClaimant: claimant }, new Map())),
    ' says who is paid.',
  ]
}

import {
  Criteria,
  CriteriaWithValueType,
  type IncentiveType,
  incentiveVariants,
} from '../../../src/schemas/campaigns/incentives.ts'

/*
 * Values for fields of which tests have none of their own, by their schemas: so that one more variant goes through all tests of
 * every variant, and one more field of campaigns through all random ones.
 */

interface Schema {
  type?: unknown
  $ref?: string
  allOf?: { $ref: string }[]
  anyOf?: Schema[]
  enum?: unknown[]
}

/** What tests of all variants read from fields of these names. */
const byName: Record<string, unknown> = {
  ...{ claimedAmount: '11', totalAmountClaimed: '12', totalClaims: '13', remainingBalance: '14' },
  ...{ reward: '100', limit: '5000', totalBudget: '7000', maxReward: '600', rebatePercentage: 2.5 },
}

const byType: Record<string, unknown> = { boolean: false, integer: 1, number: 1.5, string: '0xa9059cbb' }

/** All that the record of an incentive can hold. @param toAddress makes an address of a word, the name of the field. */
export function fieldsBySchema(type: IncentiveType, toAddress: (word: string) => string): Record<string, unknown> {
  const variant = incentiveVariants.find((schema) => schema.$id === type)
  const { type: _, metadata: __, ...properties }: Record<string, unknown> = variant?.properties ?? {}
  return valuesBySchema(properties, toAddress)
}

/** A value for each property. @param toAddress makes an address of a word, the name of the field. */
export function valuesBySchema(
  properties: Record<string, unknown>,
  toAddress: (word: string) => string,
): Record<string, unknown> {
  const valuesFor = (parts: Record<string, unknown>) => valuesBySchema(parts, toAddress)
  function valueFor(name: string, { $ref, allOf, anyOf, enum: values, type: kind }: Schema): unknown {
    if (name in byName) return byName[name]
    const [first] = allOf ?? anyOf ?? []
    if (first !== undefined) return valueFor(name, first)
    if (values !== undefined) return values[0]
    switch ($ref) {
      case 'Address':
        return toAddress(name)
      case 'Bytes32':
        return `0x${'c'.repeat(64)}`
      case 'Instant':
        return '2031-03-01T00:00:00.000Z'
      case 'Criteria':
        return valuesFor(Criteria.properties)
      case 'CriteriaWithValueType':
        return valuesFor(CriteriaWithValueType.properties)
      case undefined:
        return byType[Array.isArray(kind) ? kind[0] : String(kind)]
      default:
        return '40'
    }
  }
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueFor(name, schema as Schema)]),
  )
}

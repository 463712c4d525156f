import { type Incentive, incentiveVariants } from './incentives.ts'
import type { TokenMetadata } from './tokens.ts'

/** The variants whose responses have totals of their claims. */
type WithTotals<Each> = Each extends Incentive ? ('totalClaims' extends keyof Each ? Each : never) : never

const countedTypes = new Set<string>(
  incentiveVariants
    .filter(({ properties }) => 'totalClaims' in properties)
    .map(({ properties }) => properties.type.const),
)

const isCounted = (incentive: Incentive): incentive is WithTotals<Incentive> => countedTypes.has(incentive.type)

/** An incentive as its record says, and what was counted of its claims. */
interface RecordedIncentive {
  definition: Incentive
  /** Base units. */
  claimedAmount: string
  claimCount: string
}

/**
 * An incentive as responses show it: its record, the totals of its claims where the record has none, and its token. An amount
 * that the record does not have is the total amount that it has.
 */
export function toIncentive(
  { definition, claimedAmount, claimCount }: RecordedIncentive,
  metadata: TokenMetadata | null,
): Incentive {
  const recorded = withoutNulls(definition)
  if (!isCounted(recorded)) return recorded
  const totalAmountClaimed = recorded.totalAmountClaimed ?? claimedAmount
  return {
    ...recorded,
    claimedAmount: recorded.claimedAmount ?? totalAmountClaimed,
    totalAmountClaimed,
    totalClaims: recorded.totalClaims ?? claimCount,
    metadata,
  }
}

/** JSON without the members of objects that are null; itself where it has none, as nearly all has. */
export const withoutNulls = <Value>(value: Value): Value =>
  hasNulls(value) ? (copyWithoutNulls(value) as Value) : value

/** Whether a member of an object is null, at any depth. */
function hasNulls(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const isList = Array.isArray(value)
  for (const member of Object.values(value)) {
    if ((member === null && !isList) || hasNulls(member)) return true
  }
  return false
}

function copyWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyWithoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, copyWithoutNulls(member)]])),
  )
}

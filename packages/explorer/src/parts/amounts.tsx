import type { Rounded } from '../texts/format-numbers.ts'
import { roundCount, roundTokens, roundUsd } from '../texts/format-numbers.ts'
import { brief } from '../texts/truncate-name.ts'

/** A figure as it fits, with the exact one for anyone who points at it, and in its place for screen readers. */
function Figure({ rounded: { short, exact } }: { rounded: Rounded }) {
  if (short === exact) return <span class="figure">{exact}</span>
  return (
    <span class="figure" title={exact}>
      <span aria-hidden="true">{short}</span>
      <span class="hidden">{exact}</span>
    </span>
  )
}

/** What is not known is said, not shown as nothing. */
export function Unknown({ what = 'unknown' }: { what?: string }) {
  return (
    <span class="soft" title={what}>
      <span aria-hidden="true">–</span>
      <span class="hidden">{what}</span>
    </span>
  )
}

/** An amount in whole tokens; of a token that is not known, in its base units. Strangers choose the symbols. */
export function Tokens({
  baseUnits,
  decimals,
  symbol,
  compact = false,
}: {
  baseUnits: string | bigint
  decimals: number | undefined
  symbol?: string | undefined
  compact?: boolean
}) {
  const unit = brief(symbol ?? '') || undefined
  return (
    <bdi>
      <Figure rounded={roundTokens(baseUnits, decimals, unit, compact)} />
    </bdi>
  )
}

/** US dollars, from an exact decimal string or from a number of at most 6 decimals; `null` and absent are unknown. */
export function Usd({ value, compact = false }: { value: string | number | null | undefined; compact?: boolean }) {
  if (value === null || value === undefined) return <Unknown what="unknown value in US dollars" />
  return <Figure rounded={roundUsd(value, compact)} />
}

/** US dollars of claims, where unknown values count 0: claims that come to nothing are of unknown value. */
export const UsdOfClaims = ({ value, claims }: { value: number; claims: number }) => (
  <Usd value={isValued(value, claims) ? value : null} />
)

/** Whether the sum of the known values of some claims says what they are worth. */
export const isValued = (usd: number, claims: number) => usd > 0 || claims === 0

/** How many there are. */
export function Count({ value, compact = false }: { value: string | number; compact?: boolean }) {
  return <Figure rounded={roundCount(value, compact)} />
}

import type { ResponseOf } from 'reward-campaigns-client'

type Campaigns = ResponseOf<'listCampaigns'>
type FacetName = keyof NonNullable<Campaigns['facets']>

/** The facets that are requested with each page of the list. */
export const REQUESTED_FACETS = {
  facets: ['chainId', 'token', 'incentiveType', 'actionType', 'distributionChannel', 'isActive'] as FacetName[],
  /** More checkboxes would not be read; a token can be typed. */
  facetSize: 20,
}

/** The counts of a response: how many campaigns each value of a filter leaves under all other filters. */
export type Counted = Pick<Campaigns, 'facets' | 'facetsWithMore'> & {
  /** False if they may be outdated: the values stay, without their counts. */
  isKnown?: boolean
}

export interface FacetOption {
  value: string
  /** Symbol of a token. */
  label?: string | undefined
  /** Undefined if unknown. */
  count?: number | undefined
  isChosen: boolean
}

/** The values that can be chosen: those that were counted, and those that are chosen and were not. */
export function optionsOf(
  facet: FacetName,
  chosen: readonly string[],
  { facets, facetsWithMore, isKnown = true }: Counted,
): FacetOption[] {
  const values = facets?.[facet] ?? []
  const isIn = (among: readonly string[], value: string) =>
    among.some((other) => other.toLowerCase() === value.toLowerCase())
  const uncounted = chosen.filter(
    (value) =>
      value !== '' &&
      !isIn(
        values.map((one) => one.value),
        value,
      ),
  )
  // A value that no campaign has is not listed; neither is one that few have, where there are more.
  const isZero = isKnown && facets?.[facet] !== undefined && facetsWithMore?.includes(facet) !== true
  return [
    ...values.map(({ value, label, count }) => ({
      value,
      label,
      count: isKnown ? count : undefined,
      isChosen: isIn(chosen, value),
    })),
    ...uncounted.map((value) => ({ value, count: isZero ? 0 : undefined, isChosen: true })),
  ]
}

import { createContext } from 'preact'
import type { ResponseOf } from 'reward-campaigns-client'

type Campaigns = ResponseOf<'listCampaigns'>
type FacetName = keyof NonNullable<Campaigns['facets']>

/** What the list of campaigns is asked for beside its page. */
export const ASKED_FACETS = {
  facets: ['chainId', 'token', 'incentiveType', 'actionType', 'distributionChannel', 'isActive'] as FacetName[],
  /** More boxes than these nobody reads; a token may be typed. */
  facetSize: 20,
}

/** The counts of a response: how many campaigns each value of a filter leaves under all other filters. */
export type Counted = Pick<Campaigns, 'facets' | 'facetsWithMore'> & {
  /** False where they may be wrong by now: the values stay where they are, without their counts. */
  isKnown?: boolean
}

/** Read where they are shown, so that the fields around them, and what is being typed there, stay as they are. */
export const Counts = createContext<Counted>({})

export interface FacetOption {
  value: string
  /** Symbol of a token. */
  label?: string | undefined
  /** Undefined where it is not known. */
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

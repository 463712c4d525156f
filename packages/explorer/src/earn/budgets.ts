import { type Client, toBaseUnits, toTokens } from 'reward-campaigns-client'

/** As many as a page of the list has. */
const PAGE_SIZE = 100

/** The service has no order by dollars: so many of the newest active campaigns are compared here. */
const MAX_PAGES = 10

/** Decimals of US dollars in responses. */
const DECIMALS = 6

/** What can be claimed of the active campaigns. */
export interface Budgets {
  /** IDs of the campaigns with most dollars left, those first; each has some. */
  ranked: string[]
  /** The sum of what is left, in US dollars: an exact decimal. */
  totalUsd: string
  /** How many campaigns were compared; undefined: all active ones. */
  compared: number | undefined
}

/** The query for a page of the campaigns that are compared. */
export const budgetQuery = (page: number) => ({
  showActiveOnly: true,
  page,
  pageSize: PAGE_SIZE,
  fields: ['id' as const, 'availableBudgetUsd' as const],
})

/** Ranks the active campaigns by the dollars that are left of them; those of unknown value are in no rank. */
export async function fetchBudgets(client: Pick<Client, 'listCampaigns'>, signal: AbortSignal): Promise<Budgets> {
  const first = await client.listCampaigns(budgetQuery(1), { signal })
  const pages = Math.min(Math.ceil(first.totalCampaigns / PAGE_SIZE), MAX_PAGES)
  const others = await Promise.all(
    Array.from({ length: Math.max(0, pages - 1) }, (_, index) =>
      client.listCampaigns(budgetQuery(index + 2), { signal }),
    ),
  )
  // One that has moved on to a later page meanwhile is in both.
  const budgets = new Map(
    [first, ...others]
      .flatMap(({ campaigns }) => campaigns)
      .flatMap(({ id, availableBudgetUsd }) =>
        availableBudgetUsd === null ? [] : [[id, toMicros(availableBudgetUsd)]],
      ),
  )
  const ranked = [...budgets].filter(([, micros]) => micros > 0n).sort(([, one], [, other]) => compare(other, one))
  const total = ranked.reduce((sum, [, micros]) => sum + micros, 0n)
  return {
    ranked: ranked.map(([id]) => id),
    totalUsd: toTokens(total, DECIMALS),
    compared: first.totalCampaigns > PAGE_SIZE * MAX_PAGES ? PAGE_SIZE * MAX_PAGES : undefined,
  }
}

/** Campaigns, those with most dollars left first. */
export const byBudget = <Of extends { availableBudgetUsd: string | null }>(campaigns: readonly Of[]): Of[] =>
  campaigns.toSorted((one, other) =>
    compare(toMicros(other.availableBudgetUsd ?? '0'), toMicros(one.availableBudgetUsd ?? '0')),
  )

const compare = (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0)

const toMicros = (dollars: string) => toBaseUnits(dollars, DECIMALS)

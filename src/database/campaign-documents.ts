import { type SQL, sql } from 'drizzle-orm'

/** Stands, in documents and between figures, where JSON text never has it. */
export const MARK = '\u0001'

/** Campaigns by their keys, as `shown`, at the placeholder `now`: see the function of the database for its columns. */
export const readCampaigns = (keys: SQL) =>
  sql`read_campaigns(${keys}, ${sql.placeholder('now')}::timestamptz) as shown`

/** What changes about an incentive without its record. */
export interface IncentiveFigures {
  claimedAmount: string
  claimCount: string
  /** Empty where it pays no token. */
  remainingBudget: string
  /** `<chainId>:<address>`; empty where it pays none. */
  tokenId: string
}

/** The figures of all incentives of a campaign, in order, as `read_campaigns` writes them. */
export function toIncentiveFigures(figures: string | null): IncentiveFigures[] {
  const parts = figures === null ? [] : figures.split(MARK)
  const incentives: IncentiveFigures[] = []
  for (let start = 0; start < parts.length; start += 4) {
    const [claimedAmount = '', claimCount = '', remainingBudget = '', tokenId = ''] = parts.slice(start, start + 4)
    incentives.push({ claimedAmount, claimCount, remainingBudget, tokenId })
  }
  return incentives
}

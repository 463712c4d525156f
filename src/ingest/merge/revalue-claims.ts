import { changeClaimHours } from '../../read-models/claim-hours/maintain.ts'
import { changeContractTotals, changeTotals } from '../../read-models/claim-windows/maintain.ts'
import { readStatements } from '../../read-models/named-statements.ts'
import { priceKinds } from '../../read-models/prices/maintain.ts'
import type { StagedKind } from '../../read-models/steps.ts'
import type { Query } from '../batch-connection.ts'
import { touchClaimed } from './merge-claims.ts'

const { measureRevaluation, findRevaluationDeltas, storeRevaluedClaims } = readStatements(
  'ingest/merge/revalue-claims.sql',
  ...(['measureRevaluation', 'findRevaluationDeltas', 'storeRevaluedClaims'] as const),
)

/** Revalues the claims in some pages of the working table. */
export const revaluePages = [findRevaluationDeltas, storeRevaluedClaims]

/** Pages of the working table that are processed at once: some ten thousand claims. */
const PAGES_A_STEP = 64

/** What the batch itself has left there is dealt with. */
const emptyTables = `truncate claim_deltas, contract_contributions, window_deltas, touched_campaigns`

/** Whether a batch can change the value of stored claims: by prices, tokens, or replaced campaigns. */
export const mayRevalue = (stagedKinds: ReadonlySet<StagedKind>) =>
  [...priceKinds, 'campaign' as const].some((kind) => stagedKinds.has(kind))

/** What follows from changed claims. */
const afterClaims = [...changeTotals, ...changeClaimHours, ...changeContractTotals].filter(({ appliesTo }) =>
  appliesTo.includes('claim'),
)

/**
 * Sets the values of the claims in `revalued_claim`, at the end of a batch and in its transaction: readers see all at
 * once. It works in parts, so that memory and working tables do not grow with their number.
 * @param query sends a statement that is planned for the data of now.
 * @param many called before the first part if they are many.
 */
export async function revalueClaims(query: Query, many: () => Promise<unknown> = async () => undefined) {
  const { rows } = await query<{ pages: number; isFew: boolean }>(measureRevaluation)
  const { pages = 0, isFew = true } = rows[0] ?? {}
  if (pages > 0 && !isFew) await many()
  for (let page = 0; page < pages; page += PAGES_A_STEP) {
    await query(emptyTables)
    for (const sql of revaluePages) await query(sql, [`(${page},0)`, `(${page + PAGES_A_STEP},0)`])
    await query(touchClaimed.sql)
    await query('analyze claim_deltas, touched_campaigns')
    for (const { sql, populates } of afterClaims) {
      await query(sql)
      if (populates !== undefined) await query(`analyze ${populates}`)
    }
  }
}

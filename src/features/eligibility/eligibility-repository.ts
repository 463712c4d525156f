import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import {
  type Appraisal,
  appraise,
  claimFacts,
  dependenciesOf,
  evaluateCampaign,
  factColumns,
  toEligibility,
} from '../../database/lookups/eligibility.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import type { Dependencies } from '../../read-models/data-version/read.ts'
import { byCampaignId } from '../../schemas/primitives.ts'
import { mapInTurns } from '../../turns.ts'
import type { ListEligibilityQuery, ListEligibilityResponse } from './eligibility-schemas.ts'

/** @param lookups the pool for what is found by keys: to plan its statement takes longer than to run it. */
export function createEligibilityRepository(lookups: Database, clock: () => Date) {
  const statement = prepareFacts(lookups)

  return {
    /**
     * The verdicts on some campaigns for an account, at most 50, by chain ID, core address, identifier, ascending. Reads
     * a few rows by indexes for each of their incentives, and as many claims of the account as a validator allows.
     */
    async list({
      user,
      campaignId: ids = [],
    }: ListEligibilityQuery): Promise<{ body: ListEligibilityResponse; dependencies: Dependencies }> {
      const now = clock()
      const rows = await statement.execute({ user, ids, nowSeconds: Math.floor(now.getTime() / 1000), isPaced: true })
      const appraisals = await mapInTurns(
        rows.filter(({ position }) => position !== null),
        (row) => appraise(row, user, now),
      )
      const shown = await mapInTurns(appraisals, (appraisal) => toIncentive(appraisal, user))
      const campaigns = [...new Map(rows.map((row) => [row.campaignId, row])).values()].map((row) => {
        const incentives = shown.filter((_, nth) => appraisals[nth]?.row.campaignId === row.campaignId)
        const verdicts = incentives.map(({ verdict }) => verdict)
        return { id: row.campaignId, verdict: evaluateCampaign(row, verdicts, now), incentives }
      })
      const unknownCampaigns = ids.filter((id) => !rows.some((row) => row.campaignId === id)).sort(byCampaignId)
      return {
        body: { user, campaigns, unknownCampaigns },
        dependencies: {
          ...dependenciesOf(rows, appraisals, user, now),
          // An unknown campaign may be added.
          onLists: unknownCampaigns.length > 0,
        },
      }
    },
  }
}
export type EligibilityRepository = ReturnType<typeof createEligibilityRepository>

const toIncentive = async (appraisal: Appraisal, user: string) => ({
  ...{ incentiveIndex: appraisal.row.position ?? 0, type: appraisal.row.type },
  ...(await toEligibility(appraisal, user)),
})

/** In the order of the campaigns, and of their incentives. */
const prepareFacts = (lookups: Database) =>
  lookups
    .select(factColumns)
    .from(
      claimFacts(
        sql`array(select key from ${campaigns} requested where requested.id = any (${sql.placeholder('ids')}::text[]))`,
      ),
    )
    .orderBy(sql`campaign.chain_id, campaign.core_address, campaign.identifier, incentive."position"`)
    .prepare('list_eligibility')

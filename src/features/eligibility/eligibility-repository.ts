import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import {
  claimFacts,
  evaluate,
  evaluateCampaign,
  type FactRow,
  factColumns,
  nextChangeOf,
} from '../../database/lookups/eligibility.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import type { Dependencies } from '../../read-models/data-version/read.ts'
import { byCampaignId } from '../../schemas/primitives.ts'
import type { ListEligibilityQuery, ListEligibilityResponse } from './eligibility-schemas.ts'

export function createEligibilityRepository(database: Database, clock: () => Date) {
  const statement = prepareFacts(database)

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
      const found = new Map<string, FactRow[]>()
      for (const row of rows) found.set(row.id, [...(found.get(row.id) ?? []), row])
      const campaigns = await Promise.all(
        [...found].map(async ([id, facts]) => {
          const incentives = await Promise.all(
            facts.flatMap((row) => (row.position === null ? [] : [toIncentive(row, row.position, { id, user }, now)])),
          )
          const verdicts = incentives.map(({ verdict }) => verdict)
          const [first] = facts
          return { id, verdict: first ? evaluateCampaign(first, verdicts, now) : ('unknown' as const), incentives }
        }),
      )
      const unknownCampaigns = ids.filter((id) => !found.has(id)).sort(byCampaignId)
      return {
        body: { user, campaigns, unknownCampaigns },
        dependencies: {
          // Every claim changes what is left.
          campaignKeys: [...new Set(rows.map(({ key }) => key))],
          claimants: [user],
          // An unknown campaign may be added.
          onLists: unknownCampaigns.length > 0,
          changesAt: nextChangeOf(rows, now),
        },
      }
    },
  }
}
export type EligibilityRepository = ReturnType<typeof createEligibilityRepository>

const toIncentive = async (row: FactRow, incentiveIndex: number, of: { id: string; user: string }, now: Date) => ({
  ...{ incentiveIndex, type: row.type },
  ...(await evaluate(row, of, now)),
})

/** In the order of the campaigns, and of their incentives. */
const prepareFacts = (database: Database) =>
  database
    .select({ id: campaigns.id, ...factColumns })
    .from(
      claimFacts(
        sql`array(select key from ${campaigns} requested where requested.id = any (${sql.placeholder('ids')}::text[]))`,
      ),
    )
    .innerJoin(campaigns, sql`${campaigns.key} = facts.campaign_key`)
    .orderBy(campaigns.chainId, campaigns.coreAddress, campaigns.identifier, sql`facts.position`)
    .prepare('list_eligibility')

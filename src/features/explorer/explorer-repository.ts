import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { actionTemplates, campaigns } from '../../database/tables/campaigns.ts'
import type { PageHead } from './page-head.ts'

/** Maximum number of rewards that are named. */
const MAX_REWARDS = 5

export function createExplorerRepository(database: Database) {
  const findRow = database
    .select({
      id: campaigns.id,
      campaignName: campaigns.campaignName,
      template: actionTemplates.description,
      nftName: campaigns.nftName,
      images: sql<
        (string | null)[]
      >`array[${campaigns.projectImageUri}, ${campaigns.tokenImageUri}, ${campaigns.nftImageUri}]`,
      symbols: sql<string[]>`array(
        select distinct left(symbol, 40) from incentives join tokens on tokens.chain_id = incentives.chain_id and address = asset
        where campaign_key = ${campaigns.key} order by 1 limit ${sql.raw(String(MAX_REWARDS + 1))})`,
      incentiveCount: sql<number>`(select count(*)::integer from incentives where campaign_key = ${campaigns.key})`,
    })
    .from(campaigns)
    .leftJoin(actionTemplates, sql`${actionTemplates.id} = ${campaigns.actionTemplateId}`)
    .where(sql`${campaigns.id} = ${sql.placeholder('id')}`)
    .prepare('find_campaign_head')

  return {
    /** What a link preview of a campaign's page shows; undefined if there is no such campaign. A few index lookups. */
    async findHead(id: string): Promise<PageHead | undefined> {
      const [row] = await findRow.execute({ id })
      if (row === undefined) return undefined
      const [chainId, , identifier] = row.id.split(':')
      // In the order in which the page itself looks for a name.
      const name = [row.campaignName, row.template, row.nftName].find((text) => text !== null && /\S/.test(text))
      const named = row.symbols.slice(0, MAX_REWARDS).join(', ')
      const rewards = row.incentiveCount === 1 ? 'One reward' : `${row.incentiveCount} rewards`
      return {
        title: name ?? `Campaign ${identifier} on chain ${chainId}`,
        description:
          `Reward campaign ${identifier} on chain ${chainId}. ${rewards}` +
          `${named === '' ? '' : `, in ${named}${row.symbols.length > MAX_REWARDS ? ' and others' : ''}`}: ` +
          'what is left, who may claim and what has to be done.',
        imageUrl: row.images.find((image) => image?.startsWith('https://')) ?? undefined,
      }
    },
  }
}
export type ExplorerRepository = ReturnType<typeof createExplorerRepository>

import type pg from 'pg'
import type { Hex } from 'viem'
import type { CampaignOrigin } from '../protocol/protocol.ts'
import type { FindUnstored } from '../sync/missed-blocks.ts'
import type { FollowedStore } from '../sync/sync-updates.ts'
import { findStoredTokens } from './chain-rows.ts'

/** What of a chain can be read beside its updates. */
interface ChainReader extends Omit<FollowedStore, 'dueAgain'> {
  findUnstored: FindUnstored
  /** Contracts whose logs concern campaigns. */
  contracts(): Promise<Hex[]>
}

/** Whether a campaign is followed: its core is, and it is not from before the first block. */
const IS_JOINED = `split_part(id, ':', 2) = any (cores) and (origin ->> 'blockNumber')::bigint >= start_block`

/** Whether it is one of what was added to the chain file. */
const IS_ADDED = `joining is not null and not (${IS_JOINED})
  and split_part(id, ':', 2) in (select json_array_elements_text(joining -> 'cores'))`

/** What the sync reads from the store. */
export function createChainReader(client: pg.Client, chainId: number): ChainReader {
  const listOrigins = async (condition: string, values: unknown[]) => {
    const { rows } = await client.query<{ origin: CampaignOrigin }>(
      `select origin from followed_campaigns join followed_chains using (chain_id) where chain_id = $1 ${condition}`,
      [chainId, ...values],
    )
    return rows.map(({ origin }) => origin)
  }
  return {
    find: ({ ids, contracts }) =>
      listOrigins(`and (id = any ($2) or contracts && $3::text[]) and ${IS_JOINED}`, [ids, contracts]),
    findAny: ({ ids, contracts }) => listOrigins('and (id = any ($2) or contracts && $3::text[])', [ids, contracts]),
    unjoined: () => listOrigins(`and ${IS_ADDED}`, []),
    backFilled: () => listOrigins('', []),
    async affectedAbove(blockNumber) {
      const { rows } = await client.query<{ id: string }>(
        `select distinct unnest(touched_campaigns) as id from followed_blocks where chain_id = $1 and number > $2`,
        [chainId, blockNumber],
      )
      return rows.map(({ id }) => id)
    },
    findUnstored: (facts) => findUnstored(client, chainId, facts),
    storedTokens: (addresses) => findStoredTokens(client, chainId, addresses),
    async contracts() {
      const { rows } = await client.query<{ contract: Hex }>(
        'select distinct unnest(contracts) as contract from followed_campaigns where chain_id = $1',
        [chainId],
      )
      return rows.map(({ contract }) => contract)
    },
  }
}

async function findUnstored(
  client: pg.Client,
  chainId: number,
  { campaignIds, unreadableIds, claims }: Parameters<FindUnstored>[0],
): ReturnType<FindUnstored> {
  const campaigns = await client.query<{ id: string }>(
    `select id from unnest($2::text[]) as id
    where id not in (select id from followed_campaigns where chain_id = $1 and id = any ($2))
    union all
    select id from unnest($3::text[]) as id
    where id not in (select campaign_id from unknown_components where chain_id = $1 and kind = 'campaign')
      and id not in (select id from followed_campaigns where chain_id = $1 and id = any ($3))`,
    [chainId, campaignIds, unreadableIds],
  )
  const records = claims.map(({ record: { txHash, logIndex, amount } }, index) => ({ index, txHash, logIndex, amount }))
  const unstored = await client.query<{ index: number }>(
    `select index from json_to_recordset($2) as claim (index integer, "txHash" text, "logIndex" integer, amount numeric)
    where not exists (
      select from claims where chain_id = $1 and tx_hash = decode(substr("txHash", 3), 'hex')
        and log_index = "logIndex" and claims.amount = claim.amount
    ) and not exists (
      select from back_filled_claims where chain_id = $1 and tx_hash = decode(substr("txHash", 3), 'hex')
        and log_index = "logIndex"
    )`,
    [chainId, JSON.stringify(records)],
  )
  const indexes = new Set(unstored.rows.map(({ index }) => index))
  return {
    campaignIds: new Set(campaigns.rows.map(({ id }) => id)),
    claims: claims.filter((_, index) => indexes.has(index)),
  }
}

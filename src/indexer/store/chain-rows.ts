import type pg from 'pg'
import type { Hex } from 'viem'
import type { FollowedFeed } from '../feeds/followed-feeds.ts'
import type { ChainLog } from '../protocol/chain-logs.ts'
import type { CampaignOrigin, UnknownComponent } from '../protocol/protocol.ts'
import { contractsOf } from '../protocol/protocols.ts'
import type { EndpointHealth } from '../rpc/endpoints.ts'
import type { BlockReference } from '../sync/linked-blocks.ts'
import type { BlockClaim, FollowedState, NewBlocks } from '../sync/sync-updates.ts'

/* The rows that responses do not show: the state from which the indexer goes on. */

export async function storeOrigins(client: pg.Client, chainId: number, origins: readonly CampaignOrigin[]) {
  if (origins.length === 0) return
  await client.query(
    `insert into followed_campaigns as stored (id, chain_id, contracts, origin)
    select origin ->> 'id', $1, array(select json_array_elements_text(contracts)), origin
    from json_to_recordset($2) as followed (contracts json, origin json)
    on conflict (id) do update set contracts = excluded.contracts, origin = excluded.origin
    where stored.origin::text is distinct from excluded.origin::text`,
    [chainId, JSON.stringify(origins.map((origin) => ({ contracts: contractsOf(origin), origin })))],
  )
}

export async function dropOrigins(client: pg.Client, ids: readonly string[]) {
  if (ids.length > 0) await client.query('delete from followed_campaigns where id = any ($1)', [ids])
}

/** @param ids campaigns that are now completely known. */
export async function storeUnknown(
  client: pg.Client,
  chainId: number,
  ids: readonly string[],
  components: readonly UnknownComponent[],
) {
  if (ids.length > 0) await client.query('delete from unknown_components where campaign_id = any ($1)', [ids])
  if (components.length === 0) return
  await client.query(
    `insert into unknown_components (chain_id, campaign_id, kind, contract, position, block_number)
    select $1, "campaignId", kind, contract, coalesce(position, -1), "blockNumber"
    from json_to_recordset($2) as component ("campaignId" text, kind text, contract text, position smallint,
      "blockNumber" bigint)
    on conflict (campaign_id, kind, position) do update
    set contract = excluded.contract, block_number = excluded.block_number`,
    [chainId, JSON.stringify(components)],
  )
}

/** Which of these tokens have a record. */
export async function findStoredTokens(client: pg.Client, chainId: number, addresses: readonly string[]) {
  if (addresses.length === 0) return new Set<string>()
  const { rows } = await client.query<{ address: string }>(
    'select address from tokens where chain_id = $1 and address = any ($2)',
    [chainId, addresses],
  )
  return new Set(rows.map(({ address }) => address))
}

/** Campaigns of unknown form in blocks above this one; nothing else is stored that would name them. */
export const deleteUnknownAbove = (client: pg.Client, chainId: number, base: number) =>
  client.query('delete from unknown_components where chain_id = $1 and block_number > $2', [chainId, base])

/** Logs that do not decode; those of blocks above one are withdrawn first. */
export async function storeUndecoded(client: pg.Client, chainId: number, logs: readonly ChainLog[], above?: number) {
  if (above !== undefined) {
    await client.query('delete from undecoded_logs where chain_id = $1 and block_number > $2', [chainId, above])
  }
  if (logs.length === 0) return
  await client.query(
    `insert into undecoded_logs (chain_id, block_number, log_index, contract, topic)
    select $1, "blockNumber", "logIndex", address, topics ->> 0
    from json_to_recordset($2) as log ("blockNumber" bigint, "logIndex" integer, address text, topics json)
    on conflict do nothing`,
    [chainId, JSON.stringify(logs)],
  )
}

/** Records which versions the contracts of a chain tell; null: none tells one. */
export const recordVersion = (client: pg.Client, chainId: number, version: string | null) =>
  client.query('update followed_chains set contract_version = $2 where chain_id = $1', [chainId, version])

export async function storeBackfilledClaims(client: pg.Client, chainId: number, claims: readonly BlockClaim[]) {
  if (claims.length === 0) return
  await client.query(
    `insert into back_filled_claims
    select $1, decode(substr("txHash", 3), 'hex'), "logIndex", "campaignId", "incentiveIndex", claimant, amount,
      "blockTimestamp"
    from json_to_recordset($2) as claim ("txHash" text, "logIndex" integer, "campaignId" text, "incentiveIndex" smallint,
      claimant text, amount numeric, "blockTimestamp" bigint)
    on conflict do nothing`,
    [chainId, JSON.stringify(claims.map(({ record }) => record))],
  )
}

/** Withdraws claims that wait for a campaign that is left out. */
export const dropBackFilledClaims = (
  client: pg.Client,
  chainId: number,
  claims: readonly { txHash: string; logIndex: number }[],
) =>
  client.query(
    `delete from back_filled_claims using unnest($2::text[], $3::integer[]) as withdrawn (tx_hash, log_index)
    where chain_id = $1 and back_filled_claims.tx_hash = decode(substr(withdrawn.tx_hash, 3), 'hex')
      and back_filled_claims.log_index = withdrawn.log_index`,
    [chainId, claims.map(({ txHash }) => txHash), claims.map(({ logIndex }) => logIndex)],
  )

/** What a chain file has that is not followed yet, and how far that is read. */
export interface StoredJoining {
  cores: Hex[]
  startBlock: number
  readTo: number
  hash: Hex | null
}

/** Assignments by which what was added to the chain file is followed from here on. */
export const JOIN = `joining = null, start_block = coalesce((joining ->> 'startBlock')::bigint, start_block),
  cores = case when joining is null then cores else array(select json_array_elements_text(joining -> 'cores')) end`

/** The window moves on: withdrawn blocks go, and final ones, except the newest of them. */
export async function storeBlocks(
  client: pg.Client,
  chainId: number,
  { base, depth, asOf, finalized, blocks, affects, claims }: NewBlocks,
) {
  if (base === -1 || depth > 0) {
    await client.query('delete from followed_blocks where chain_id = $1 and number > $2', [chainId, base])
  }
  const rows = new Map(
    blocks.map(({ number, hash }) => [
      number,
      { number, hash, campaigns: [] as string[], claims: [] as [txHash: string, logIndex: number][] },
    ]),
  )
  for (const { blockNumber, campaignId } of affects) rows.get(blockNumber)?.campaigns.push(campaignId)
  for (const { blockNumber, record } of claims) rows.get(blockNumber)?.claims.push([record.txHash, record.logIndex])
  await client.query(
    `with final as (
      delete from followed_blocks where chain_id = $1 and number < $2
    )
    insert into followed_blocks (chain_id, number, hash, touched_campaigns, claims)
    select $1, number, hash, array(select json_array_elements_text(campaigns)), claims
    from json_to_recordset($3) as block (number bigint, hash text, campaigns json, claims jsonb)
    where number >= $2
    -- What was added to the chain file has also touched blocks that are stored.
    on conflict (chain_id, number) do update
    set touched_campaigns = array(
        select unnest(followed_blocks.touched_campaigns || excluded.touched_campaigns) as id group by id order by id),
      claims = (select coalesce(jsonb_agg(claim), '[]') from (
        select distinct jsonb_array_elements(followed_blocks.claims || excluded.claims) as claim order by claim) merged)`,
    [chainId, Math.min(asOf.number, finalized), JSON.stringify([...rows.values()])],
  )
}

/** Another process has written the same chain: what this process knows of it is outdated. */
export class ChainMovedError extends Error {
  override readonly name = 'ChainMovedError'
}

/** What is found again when a chain is read again. */
export const tablesOfChain = [
  'followed_blocks',
  'followed_campaigns',
  'back_filled_claims',
  'back_filled_prices',
  'unknown_components',
  'undecoded_logs',
  'left_out_campaigns',
  'compared_counters',
]

/** What another connection has left. */
export async function readStored(
  client: pg.Client,
  chainId: number,
): Promise<{ writes: number; state: FollowedState }> {
  const { rows } = await client.query<{
    writes: string
    isBackFilling: boolean
    backFilledTo: string
    backFilledHash: Hex | null
    feeds: FollowedFeed[]
    cores: Hex[]
    startBlock: string
    joining: StoredJoining | null
    window: BlockReference[] | null
  }>(
    `select step as writes, is_back_filling as "isBackFilling", back_filled_to as "backFilledTo",
      back_filled_hash as "backFilledHash", feeds, cores, start_block as "startBlock", joining, (
      select json_agg(json_build_object('number', number, 'hash', hash) order by number) from followed_blocks
      where followed_blocks.chain_id = followed_chains.chain_id
    ) as window
    from followed_chains where chain_id = $1`,
    [chainId],
  )
  const [stored] = rows
  if (stored === undefined) throw new ChainMovedError(`chain ${chainId} is not followed any more`)
  const window = stored.window ?? []
  return {
    writes: Number(stored.writes),
    state: {
      asOf: stored.isBackFilling ? null : (window.at(-1) ?? null),
      window,
      backFilledTo: Number(stored.backFilledTo),
      backFilledHash: stored.backFilledHash,
      feeds: stored.feeds,
      joining:
        stored.joining === null
          ? null
          : {
              joined: new Set(stored.cores),
              startBlock: Number(stored.startBlock),
              readTo: stored.joining.readTo,
              hash: stored.joining.hash,
            },
    },
  }
}

/**
 * Sets columns of a chain; the column `step` counts the writes.
 * @throws ChainMovedError if another process has written since `writes` was read.
 */
export async function updateChain(
  client: pg.Client,
  chainId: number,
  writes: number,
  assignments: string,
  values: unknown[],
) {
  const { rowCount } = await client.query(
    `update followed_chains set step = step + 1, looked_at = clock_timestamp(), trouble = null, ${assignments}
    where chain_id = $1 and step = $2`,
    [chainId, writes, ...values],
  )
  if (rowCount !== 1) throw new ChainMovedError(`chain ${chainId} has been written by another process`)
}

/** Records that a chain was read, and has nothing new. */
export const recordSync = (client: pg.Client, chainId: number, head: number, finalized: number) =>
  client.query(
    `update followed_chains set head_block = $2, finalized_block = $3, looked_at = clock_timestamp(), trouble = null
    where chain_id = $1`,
    [chainId, head, finalized],
  )

/**
 * Records why a chain cannot be read or stored, and its last known heads; leaves `looked_at` unchanged: this is no sign of
 * the chain.
 */
export const recordTrouble = (
  client: pg.Client,
  chainId: number,
  { reason, head, finalized }: { reason?: string; head?: number | undefined; finalized?: number | undefined },
) =>
  client.query(
    `update followed_chains set head_block = coalesce($2, head_block),
    finalized_block = coalesce($3, finalized_block), trouble = coalesce($4, trouble) where chain_id = $1`,
    [chainId, head ?? null, finalized ?? null, reason ?? null],
  )

/** Records how the endpoints of a chain do. */
export const recordHealth = (client: pg.Client, chainId: number, endpoints: readonly EndpointHealth[]) =>
  client.query('update followed_chains set endpoints = $2 where chain_id = $1', [chainId, JSON.stringify(endpoints)])

import type pg from 'pg'
import type { Hex } from 'viem'
import { connectForBatches } from '../../ingest/batch-connection.ts'
import { inTransaction } from '../../ingest/batches.ts'
import type { ComparedCounter, ComparedPart, ProofStore, ProofSummary, StoredCounter } from '../proof/proof-store.ts'
import type { ChainIdentity } from '../protocol/protocol.ts'
import { factoryCounters, incentiveCounters } from '../protocol/protocols.ts'
import { createChainReader } from './chain-reader.ts'

/** Opens what a proof reads of a chain, and writes, on a connection of its own: updates of the chain go on meanwhile. */
export async function openProofStore(url: string, chain: ChainIdentity): Promise<ProofStore> {
  const { chainId } = chain
  const client = await connectForBatches(url, 'reward-campaigns proof', { pipeline: false })
  return {
    ...createChainReader(client, chainId),
    isProven: async () => {
      const { rows } = await client.query(
        'select from followed_chains where chain_id = $1 and proven_block is not null',
        [chainId],
      )
      return rows.length > 0
    },
    async unknownCampaigns(upTo) {
      const { rows } = await client.query<{ block: number }>(
        `select distinct block_number::float8 as block from unknown_components
        where chain_id = $1 and kind = 'campaign' and block_number <= $2 order by block`,
        [chainId, upTo],
      )
      return rows.map(({ block }) => block)
    },
    countStored: (part) => inOneSnapshot(client, () => countStored(client, chain, part)),
    record: (block, compared) => inTransaction(client, () => record(client, chainId, block, compared)),
    close: () => client.end(),
  }
}

async function inOneSnapshot<Result>(client: pg.Client, read: () => Promise<Result>): Promise<Result> {
  await client.query('begin transaction isolation level repeatable read read only')
  try {
    return await read()
  } finally {
    await client.query('rollback')
  }
}

/**
 * What is stored at the end of the newest block that is final and whose later blocks can be told apart: all of those are in the window.
 * Of each counter that has changed since it was compared, or differed then, and a share of the others.
 */
async function countStored(client: pg.Client, chain: ChainIdentity, part: ComparedPart) {
  const { chainId } = chain
  const { rows } = await client.query<{ number: string; hash: Hex | null }>(
    `select number::text, (
        select hash from followed_blocks where chain_id = $1 and followed_blocks.number = chosen.number
      ) as hash
    from followed_chains, lateral (select least(finalized_block, as_of_block) as number) chosen
    where chain_id = $1 and not is_back_filling and joining is null and number >= start_block
      and number >= (select min(followed_blocks.number) - 1 from followed_blocks where chain_id = $1)`,
    [chainId],
  )
  const [block] = rows
  if (block === undefined) return undefined
  const number = Number(block.number)
  const campaigns = await countCampaigns(client, chain, number)
  const found = await client.query<Omit<StoredCounter, 'stored' | 'since'> & { stored: string; since: string }>(
    dueCounters,
    [
      ...[chainId, number, JSON.stringify(campaigns), JSON.stringify(incentiveCounters)],
      ...[part.share, part.limit ?? null],
    ],
  )
  return {
    block: { number, hash: block.hash },
    counters: found.rows.map((row) => ({ ...row, stored: BigInt(row.stored), since: Number(row.since) })),
    firstCampaigns: new Map(
      campaigns.flatMap(({ contract, before, blockNumber }) =>
        before === null || blockNumber === null ? [] : [[contract, { before: BigInt(before), blockNumber }] as const],
      ),
    ),
  }
}

/**
 * Campaigns of each factory that were created up to a block, also those that the database refuses, or that their factory does not return
 * in a known form.
 */
async function countCampaigns(client: pg.Client, chain: ChainIdentity, number: number) {
  const { rows } = await client.query<{
    contract: Hex
    counter: string
    stored: string
    before: string | null
    blockNumber: number | null
  }>(
    `with known as (
      select id from followed_campaigns where chain_id = $1
      union
      select campaign_id from unknown_components
      where chain_id = $1 and kind = 'campaign' and coalesce(block_number, 0) <= $2
    ), later as (
      select id from followed_campaigns
      where (origin ->> 'blockNumber')::bigint > $2 and id in (
        select unnest(touched_campaigns) from followed_blocks where chain_id = $1 and number > $2
      )
    ), counted as (
      select split_part(id, ':', 2) as contract, count(*) as stored, min(split_part(id, ':', 3)::numeric) as first
      from known where id not in (select id from later) group by 1
    )
    select contract, counter, coalesce(stored, 0)::text as stored, (first - "firstNumber")::text as before,
      coalesce(
        (select (origin ->> 'blockNumber')::float8 from followed_campaigns where id = first_id),
        (select block_number::float8 from unknown_components where campaign_id = first_id and kind = 'campaign')
      ) as "blockNumber"
    from json_to_recordset($3) as factory (contract text, counter text, "firstNumber" integer) left join counted using (contract)
    cross join lateral (select concat_ws(':', $1::text, contract, first) as first_id) named
    order by contract`,
    [chain.chainId, number, JSON.stringify(factoryCounters(chain))],
  )
  return rows
}

/**
 * $1 chain, $2 block, $3 campaigns by factory, $4 counters by types of incentives, $5 share, $6 limit. An incentive of a campaign that
 * the database refuses is not counted: its claims wait. What was added to the chain file is compared at once, whatever the limit: it was not
 * there when everything was. Of several counters of a type, `claims` comes first and confirms its claims.
 */
const dueCounters = `with above as (
    select campaign_key, incentive_position, count(*) as claim_count, sum(amount) as amount
    from followed_blocks cross join jsonb_array_elements(followed_blocks.claims) as claim
    join claims on claims.chain_id = $1 and tx_hash = decode(substr(claim ->> 0, 3), 'hex')
      and log_index = (claim ->> 1)::integer
    where followed_blocks.chain_id = $1 and number > $2
    group by campaign_key, incentive_position
  ), counted as (
    select null as campaign_id, null::smallint as position, contract, counter, stored, null::bigint as claim_count
    from json_to_recordset($3) as factory (contract text, counter text, stored numeric)
    union all
    select campaigns.id, incentives.position, null, kind.counter,
      case kind.counter when 'claims' then incentives.claim_count - coalesce(above.claim_count, 0)
        else claimed_amount - coalesce(amount, 0) end,
      case when kind.is_first then incentives.claim_count - coalesce(above.claim_count, 0) end
    from campaigns join incentives on campaign_key = campaigns.key
    join (
      select counter, type, row_number() over (partition by type order by counter) = 1 as is_first
      from json_to_recordset($4) as kind (counter text, types json)
      cross join json_array_elements_text(types) as type
    ) as kind on kind.type = incentives.type
    left join above on above.campaign_key = campaigns.key and incentive_position = incentives.position
    where campaigns.chain_id = $1
      and split_part(campaigns.id, ':', 2) = any (array(select unnest(cores) from followed_chains where chain_id = $1))
      and campaigns.id not in (select campaign_id from left_out_campaigns where chain_id = $1)
  ), judged as (
    select counted.*, compared_at, agreed_block,
      compared.stored is distinct from counted.stored or on_chain <> compared.stored as is_due
    from counted left join compared_counters compared
      on compared.chain_id = $1 and compared.counter = counted.counter
      and coalesce(compared.campaign_id || '/' || compared.position, compared.contract)
        = coalesce(counted.campaign_id || '/' || counted.position, counted.contract)
  ), ranked as (
    select *, row_number() over (partition by is_due order by compared_at, campaign_id, position, contract) as rank
    from judged
  ), due as (
    select * from ranked where is_due or rank <= ceil($5::float8 * (select count(*) from counted))
  ), placed as (
    select due.*, coalesce(due.contract, incentive ->> 'contract') as address,
      coalesce(agreed_block, (incentive ->> 'blockNumber')::bigint - 1, start_block - 1) as since,
      compared_at is null and coalesce((incentive ->> 'blockNumber')::bigint <= proven_block, true) as is_added
    from due join followed_chains on followed_chains.chain_id = $1
    left join followed_campaigns on id = due.campaign_id
    left join lateral (
      select incentive from json_array_elements(origin -> 'incentives') as incentive
      where (incentive ->> 'position')::smallint = due.position
    ) of_campaign on true
    where due.campaign_id is null or (incentive ->> 'blockNumber')::bigint <= $2
  )
  select campaign_id as "campaignId", position as "incentiveIndex", address as contract, counter, stored::text,
    claim_count::float8 as claims, compared_at is null as "isNew", since::text
  from placed
  order by is_added desc, is_due desc, compared_at nulls first, campaign_id, position, contract, counter
  limit case when $6::bigint is not null then greatest($6, (select count(*) from placed where is_added)) end`

async function record(
  client: pg.Client,
  chainId: number,
  block: number,
  compared: readonly ComparedCounter[],
): Promise<ProofSummary> {
  const byCounter = new Map(compared.map((one) => [`${one.contract}/${one.counter}`, one]))
  const rows = [...byCounter.values()].map(({ onChain, stored, ...counter }) => ({
    ...counter,
    onChain: onChain === null ? null : String(onChain),
    stored: String(stored),
  }))
  await client.query(
    `insert into compared_counters as known (chain_id, contract, counter, campaign_id, position, on_chain, stored,
      claim_count, block_number, compared_at, agreed_block)
    select $1, contract, counter, "campaignId", "incentiveIndex", "onChain", stored, claims, $2::bigint, clock_timestamp(),
      case when "onChain" = stored then $2::bigint end
    from json_to_recordset($3) as compared (contract text, counter text, "campaignId" text, "incentiveIndex" smallint,
      "onChain" numeric, stored numeric, claims bigint)
    order by contract, counter
    on conflict (chain_id, contract, counter) do update
    set campaign_id = excluded.campaign_id, position = excluded.position, on_chain = excluded.on_chain,
      stored = excluded.stored, claim_count = excluded.claim_count, block_number = excluded.block_number, compared_at = excluded.compared_at,
      agreed_block = coalesce(excluded.agreed_block, known.agreed_block)`,
    [chainId, block, JSON.stringify(rows)],
  )
  // What is left out is told as that.
  await client.query(
    `delete from compared_counters where chain_id = $1
      and campaign_id in (select campaign_id from left_out_campaigns where chain_id = $1)`,
    [chainId],
  )
  const summary = await client.query<Omit<ProofSummary, 'block'>>(
    `update followed_chains
    set proven_block = $2, proven_at = clock_timestamp(), (proven_campaigns, proven_claims, uncounted_campaigns,
      uncounted_claims, differences) = (
      select coalesce(sum(stored) filter (where campaign_id is null and on_chain = stored), 0),
        coalesce(sum(claim_count) filter (where on_chain = stored), 0),
        coalesce(sum(stored) filter (where campaign_id is null and on_chain is null), 0),
        coalesce(sum(claim_count) filter (where on_chain is null), 0),
        count(*) filter (where on_chain <> stored)
      from compared_counters where chain_id = $1
    )
    where chain_id = $1 and not is_back_filling
    returning proven_campaigns::float8 as campaigns, proven_claims::float8 as claims,
      uncounted_campaigns::float8 as "uncountedCampaigns", uncounted_claims::float8 as "uncountedClaims", differences`,
    [chainId, block],
  )
  const [found] = summary.rows
  if (found === undefined) throw new Error(`chain ${chainId} is being read again`)
  return { block, ...found }
}

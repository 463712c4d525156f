import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { Batch } from '../../ingest/staging/staged-batches.ts'
import type { ChainSettings } from '../chain-config.ts'
import { toAddress } from '../protocol/chain-logs.ts'
import type { ChainCampaign } from '../protocol/protocol.ts'
import type { NewBlocks } from '../sync/sync-updates.ts'
import { findStoredTokens } from './chain-rows.ts'
import { backFilledPricesOf, toPriceBatch } from './feed-rows.ts'

/** The settings of a chain that decide how its facts are written. */
export type WrittenChain = Pick<ChainSettings, 'chainId' | 'startBlock' | 'prices' | 'trustedTokens'>

/**
 * The changes of new blocks to facts that responses show, on top of what is stored.
 * @param isStored whether nothing but the state of its incentives can have changed since a campaign was written.
 */
export async function toBatch(
  client: pg.Client,
  chain: WrittenChain,
  update: NewBlocks,
  isStored: (campaign: ChainCampaign) => boolean = () => false,
): Promise<Batch> {
  const { chainId } = chain
  const { base, depth, campaigns, claims, tokens, revertedCampaigns } = update
  // An import may have brought some since they were read: records of the operator take precedence.
  const stored = await findStoredTokens(
    client,
    chainId,
    tokens.map(({ address }) => address),
  )
  return {
    ...toPriceBatch(chain, update.feedFacts),
    ...(depth > 0 && {
      withdrawnFeedPrices: { chainId, above: base },
      chainEvent: await toReorganisation(client, chainId, base),
    }),
    records: [
      ...tokens
        .filter(({ address }) => !stored.has(address))
        .map((token) => ({ ...token, whitelisted: chain.trustedTokens.has(toAddress(token.address)) })),
      ...campaigns.filter((campaign) => !isStored(campaign)).map(toRecord),
      ...claims.map(({ record }) => record),
    ],
    incentives: campaigns.filter(isStored).flatMap(toChangedIncentives),
    revertedClaims: depth === 0 ? [] : await listClaimsAbove(client, chainId, base),
    revertedCampaigns,
  }
}

/** New blocks without their facts of some campaigns. */
export const withoutCampaigns = (update: NewBlocks, ids: ReadonlySet<string>): NewBlocks => ({
  ...update,
  campaigns: update.campaigns.filter(({ record }) => !ids.has(record.id)),
  claims: update.claims.filter(({ record }) => !ids.has(record.campaignId)),
})

/** A campaign that was left out, with the claims that have waited for it. */
export const toRetryBatch = (chainId: number, campaign: ChainCampaign): Batch => ({
  records: [toRecord(campaign)],
  stored: [waitingClaims(chainId, 1, `campaign_id = '${campaign.record.id}'`)],
})

/** A batch with campaigns that were added, and the claims that have waited for them. */
export const withWaitingClaims = (chainId: number, batch: Batch, ids: readonly string[]): Batch => ({
  ...batch,
  stored: [
    ...(batch.stored ?? []),
    waitingClaims(chainId, batch.records.length, `campaign_id = any ('{${ids.join()}}')`),
  ],
})

/** Claims that wait for their campaign, as records that follow some others. IDs are in the form of the API. */
const waitingClaims = (chainId: number, records: number, condition: string) => ({
  of: 'claim' as const,
  sql: `insert into staged_claim (line_id, chain_id, tx_hash, log_index, campaign_id, incentive_position, claimant, amount,
      block_timestamp)
    select ${records} + row_number() over (), chain_id, tx_hash, log_index, campaign_id, incentive_position,
      claimant, amount, block_timestamp
    from back_filled_claims where chain_id = ${chainId} and ${condition}`,
})

/**
 * The content of the first update: all that the backfill has found replaces everything of the chain.
 * @param skipped campaigns whose claims still wait.
 */
export async function toFirstBatch(
  client: pg.Client,
  chain: WrittenChain,
  update: NewBlocks,
  skipped: ReadonlySet<string>,
): Promise<Batch> {
  const { chainId } = chain
  const { records } = await toBatch(client, chain, { ...update, depth: 0 })
  return {
    records,
    feedPrices: toPriceBatch(chain, update.feedFacts).feedPrices,
    withdrawnFeedPrices: { chainId, above: -1 },
    chainEvent: { chainId, kind: 'reset' },
    stored: [
      backFilledPricesOf(chainId),
      waitingClaims(chainId, records.length, `campaign_id <> all ('{${[...skipped].join()}}')`),
      {
        of: 'withdrawnClaim',
        sql: `insert into withdrawn_claim (chain_id, tx_hash, log_index)
          select chain_id, tx_hash, log_index from claims where chain_id = ${chainId}
          except select chain_id, tx_hash, log_index from staged_claim`,
      },
      {
        of: 'withdrawnCampaign',
        sql: `insert into withdrawn_campaign (line_id, id)
          select 0, id from campaigns where chain_id = ${chainId} and id not in (select id from staged_campaign)`,
      },
    ],
  }
}

const toRecord = ({ record, incentives, accessLists }: ChainCampaign) => ({
  ...record,
  incentivePositions: incentives.map(({ position }) => position),
  accessLists,
})

const toChangedIncentives = ({ record, incentives }: ChainCampaign) =>
  record.incentives.flatMap((definition, index) => {
    const position = incentives[index]?.position
    return position === undefined ? [] : [{ campaignId: record.id, position, definition }]
  })

/**
 * A fingerprint of a campaign without the state of its incentives: on another branch of the chain an address may have an incentive of
 * another kind, or of another token.
 */
export function fingerprintOf({ record, accessLists, fixed }: ChainCampaign) {
  const others = { ...record, incentives: undefined, accessLists, fixed }
  return createHash('sha256').update(JSON.stringify(others)).digest('base64')
}

/** Which blocks above this one are withdrawn. */
async function toReorganisation(client: pg.Client, chainId: number, base: number) {
  const { rows } = await client.query<{ fromBlock: string; toBlock: string }>(
    `select coalesce(min(number), $2::bigint + 1)::text as "fromBlock", coalesce(max(number), $2::bigint + 1)::text as "toBlock"
    from followed_blocks where chain_id = $1 and number > $2::bigint`,
    [chainId, base],
  )
  return { chainId, kind: 'chain.reorganised' as const, fromBlock: '', toBlock: '', ...rows[0] }
}

/** Claims of blocks above this one. */
export async function listClaimsAbove(client: pg.Client, chainId: number, base: number) {
  const { rows } = await client.query<{ txHash: string; logIndex: number }>(
    `select claim ->> 0 as "txHash", (claim ->> 1)::integer as "logIndex"
    from followed_blocks, jsonb_array_elements(claims) as claim where chain_id = $1 and number > $2`,
    [chainId, base],
  )
  return rows.map((claim) => ({ chainId, ...claim }))
}

/** For most blocks only the number and the hash are new. */
export function changesFacts({ depth, claims, campaigns, revertedCampaigns, tokens, feedFacts }: NewBlocks) {
  const { reset, prices, earlier } = feedFacts
  return (
    depth > 0 ||
    [claims, campaigns, revertedCampaigns, tokens, reset, prices, earlier].some((facts) => facts.length > 0)
  )
}

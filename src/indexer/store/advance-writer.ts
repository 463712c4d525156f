import type pg from 'pg'
import { type Ingest, inTransaction } from '../../ingest/batches.ts'
import { takeImportLock } from '../../ingest/ingest-lock.ts'
import { listWrittenTables } from '../../ingest/vacuum.ts'
import type { ChainCampaign } from '../protocol/contracts/campaign-components.ts'
import type { Advance } from '../sync/sync-steps.ts'
import { listClaimsAbove, toBatch, toFirstBatch, type WrittenChain, withoutCampaigns } from './batch-records.ts'
import {
  deleteUnknownAbove,
  dropBackFilledClaims,
  dropOrigins,
  storeBackfilledClaims,
  storeBlocks,
  storeOrigins,
  storeUnknown,
  toUnknownCampaign,
} from './chain-rows.ts'
import { feedsAsJson, keepBackFilledPrices } from './feed-rows.ts'
import type { SkippedCampaigns } from './skipped-campaigns.ts'
import { findRejected, rejectionOf } from './skipped-campaigns.ts'

interface AdvanceWriter {
  client: pg.Client
  ingest: Ingest
  chain: WrittenChain
  skipped: SkippedCampaigns
  /** Whether nothing but figures of its incentives can have changed since a campaign was written. */
  isWritten: (campaign: ChainCampaign) => boolean
  /** Sets columns of the chain. */
  advanceTo: (assignments: string, values: unknown[]) => Promise<void>
}

/** Writes advances, each in one transaction. @returns for each the tables that it has written as a whole. */
export function createAdvanceWriter({ client, ingest, chain, skipped, isWritten, advanceTo }: AdvanceWriter) {
  const { chainId } = chain

  /** Writes all facts of an advance except those of some campaigns, whose claims wait for them. */
  async function writeFacts(advance: Advance, ids: ReadonlySet<string>) {
    const { base, depth, campaigns, revertedCampaigns } = advance
    const isFirst = base === -1
    await takeImportLock(client)
    if (isFirst) {
      await client.query('select advance_claim_windows()')
      await keepBackFilledPrices(client, chainId, [], advance.feedFacts.reset)
    }
    const taken = withoutCampaigns(advance, ids)
    const batch = isFirst
      ? await toFirstBatch(client, chain, taken, ids)
      : await toBatch(client, chain, taken, isWritten)
    await ingest.applyWithin(batch)
    await storeOrigins(
      client,
      chainId,
      campaigns.map(({ origin }) => origin),
    )
    await dropOrigins(client, revertedCampaigns)
    if (isFirst) {
      await client.query('delete from back_filled_claims where chain_id = $1 and campaign_id <> all ($2)', [
        chainId,
        [...ids],
      ])
      await client.query('delete from back_filled_prices where chain_id = $1', [chainId])
    }
    if (depth > 0) await dropBackFilledClaims(client, chainId, await listClaimsAbove(client, chainId, base))
    await skipped.drop(revertedCampaigns)
    const waiting = advance.claims.filter(({ record }) => ids.has(record.campaignId))
    await storeBackfilledClaims(client, chainId, waiting)
  }

  /** @param refused campaigns that are left out from here on. */
  const write = (advance: Advance, refused: ReadonlyMap<string, string> = new Map()) =>
    inTransaction(client, async () => {
      const { base, depth, asOf, head, finalized, campaigns, revertedCampaigns } = advance
      if (base === -1 || changesFacts(advance)) {
        await writeFacts(advance, new Set([...skipped.ids(), ...refused.keys()]))
        await skipped.keep(refused)
      }
      if (depth > 0) await deleteUnknownAbove(client, chainId, base)
      await storeUnknown(
        client,
        chainId,
        [...campaigns.map(({ record }) => record.id), ...revertedCampaigns],
        [...campaigns.flatMap(({ unknown }) => unknown), ...advance.unreadable.map(toUnknownCampaign)],
      )
      await storeBlocks(client, chainId, advance)
      await advanceTo(
        `is_back_filling = false, back_filled_to = $3, back_filled_hash = null, as_of_block = $3, as_of_block_hash = $4,
        as_of_at = to_timestamp($5), head_block = $6, finalized_block = $7, feeds = coalesce($8, feeds)`,
        [asOf.number, asOf.hash, asOf.timestamp, head.number, finalized, feedsAsJson(advance.feedFacts)],
      )
      return base === -1 ? listWrittenTables(client) : []
    })

  /** If the database refuses facts, it gets those of all other campaigns. */
  return async function writeTaken(advance: Advance) {
    try {
      return await write(advance)
    } catch (error) {
      if (rejectionOf(error) === undefined) throw error
      const known = skipped.ids()
      const ids = advance.campaigns.map(({ record }) => record.id).filter((id) => !known.has(id))
      const refused = await findRejected(client, (without) => writeFacts(advance, new Set([...known, ...without])), ids)
      if (refused.size === 0) throw error
      const tables = await write(advance, refused)
      skipped.record(refused)
      return tables
    }
  }
}

/** For most blocks only the number and the hash are new. */
function changesFacts({ depth, claims, campaigns, revertedCampaigns, tokens, feedFacts }: Advance) {
  const { reset, prices, earlier } = feedFacts
  return (
    depth > 0 ||
    [claims, campaigns, revertedCampaigns, tokens, reset, prices, earlier].some((facts) => facts.length > 0)
  )
}

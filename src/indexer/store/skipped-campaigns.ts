import pg from 'pg'
import { type Ingest, inTransaction } from '../../ingest/batches.ts'
import { takeImportLock } from '../../ingest/ingest-lock.ts'
import { ImportFaultsError } from '../../ingest/validation-errors.ts'
import type { ChainCampaign } from '../protocol/protocol.ts'
import { toRetryBatch } from './batch-records.ts'

/** How often a campaign that was refused is tried again, in milliseconds. */
const RETRY_MS = 60_000

/** A campaign that was left out for a reason; without a reason, it is included again. */
type OnSkipped = (campaignId: string, reason: string | undefined) => void

export interface SkippedCampaignOptions {
  onSkipped?: OnSkipped | undefined
  retryMs?: number | undefined
}

/** The campaigns of a chain that the database refuses, and when each is tried again. */
export async function openSkippedCampaigns(
  client: pg.Client,
  ingest: Ingest,
  chainId: number,
  { onSkipped = () => undefined, retryMs = RETRY_MS }: SkippedCampaignOptions,
) {
  const { rows } = await client.query<{ id: string }>(
    'select campaign_id as id from left_out_campaigns where chain_id = $1',
    [chainId],
  )
  const triedAt = new Map(rows.map(({ id }) => [id, 0]))

  const keep = (reasons: ReadonlyMap<string, string>) =>
    client.query(
      `insert into left_out_campaigns (campaign_id, chain_id, reason)
      select id, $1, reason from unnest($2::text[], $3::text[]) as refused (id, reason)
      on conflict (campaign_id) do update set reason = excluded.reason`,
      [chainId, [...reasons.keys()], [...reasons.values()]],
    )

  /** Call it within a transaction. */
  async function drop(ids: readonly string[]) {
    await client.query('delete from left_out_campaigns where campaign_id = any ($1)', [ids])
    await client.query('delete from back_filled_claims where chain_id = $1 and campaign_id = any ($2)', [chainId, ids])
  }

  function record(reasons: ReadonlyMap<string, string>) {
    for (const [id, reason] of reasons) {
      if (!triedAt.has(id)) onSkipped(id, reason)
      triedAt.set(id, Date.now())
    }
  }

  async function retry(campaign: ChainCampaign) {
    const { id } = campaign.record
    try {
      await inTransaction(client, async () => {
        await takeImportLock(client)
        await ingest.applyWithin(toRetryBatch(chainId, campaign))
        await drop([id])
      })
    } catch (error) {
      const reason = rejectionOf(error)
      if (reason === undefined) throw error
      await keep(new Map([[id, reason]]))
      triedAt.set(id, Date.now())
      return
    }
    triedAt.delete(id)
    onSkipped(id, undefined)
  }

  const isDue = (id: string) => Date.now() - (triedAt.get(id) ?? Number.POSITIVE_INFINITY) >= retryMs

  return {
    ids: (): ReadonlySet<string> => new Set(triedAt.keys()),
    /** Campaigns to read, so that they can be tried again. */
    due: () => [...triedAt.keys()].filter(isDue),
    keep,
    record,
    drop,
    /** Campaigns that no longer exist. */
    forget(ids: Iterable<string>) {
      for (const id of ids) triedAt.delete(id)
    },
    /** Writes those that are due, each on its own, with the claims that have waited for it. */
    async retryDue(campaigns: readonly ChainCampaign[]) {
      for (const campaign of campaigns) if (isDue(campaign.record.id)) await retry(campaign)
    },
  }
}

export type SkippedCampaigns = Awaited<ReturnType<typeof openSkippedCampaigns>>

/**
 * SQLSTATE classes that concern the facts of a statement: 22 data, 23 constraints, 21 cardinality, 54 limits of the
 * server (of a value, an index entry), P0 errors raised by a function or trigger.
 */
const OF_FACTS = /^(2[123]|54|P0)/

/** Why the database refuses facts; undefined for failures that have nothing to do with them. */
export function rejectionOf(error: unknown): string | undefined {
  if (error instanceof ImportFaultsError) return error.message
  if (error instanceof pg.DatabaseError && OF_FACTS.test(error.code ?? '')) return error.message
  return undefined
}

/**
 * Finds which campaigns the database refuses, by writing all without some of them, again and again, and taking it back.
 * @param write writes everything but the facts of campaigns that are left out, within a transaction.
 * @param campaignIds may be left out.
 * @returns why, by campaign; empty where it is none of theirs.
 */
export async function findRejected(
  client: pg.Client,
  write: (skipped: ReadonlySet<string>) => Promise<unknown>,
  campaignIds: readonly string[],
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>()
  let skipped: ReadonlySet<string> = new Set(campaignIds)

  async function rejectionWithout(ids: ReadonlySet<string>) {
    try {
      await inTransaction(client, async () => {
        await write(ids)
        await client.query('set constraints all immediate')
        throw new TakenBack()
      })
    } catch (error) {
      if (error instanceof TakenBack) return undefined
      const reason = rejectionOf(error)
      if (reason === undefined) throw error
      return reason
    }
  }

  /** Writes some campaigns again, except those that are rejected again. */
  async function admit(ids: readonly string[]) {
    const less = new Set([...skipped].filter((id) => !ids.includes(id)))
    const reason = await rejectionWithout(less)
    const [first] = ids
    if (reason === undefined) skipped = less
    else if (first !== undefined && ids.length === 1) reasons.set(first, reason)
    else {
      const middle = Math.ceil(ids.length / 2)
      await admit(ids.slice(0, middle))
      await admit(ids.slice(middle))
    }
  }

  if ((await rejectionWithout(skipped)) === undefined) await admit(campaignIds)
  return reasons
}

/** Ends a transaction that was only to be tried. */
class TakenBack extends Error {
  override readonly name = 'TakenBack'
}

import type pg from 'pg'
import { type Ingest, inTransaction } from '../ingest/batches.ts'
import { takeImportLock } from '../ingest/ingest-lock.ts'
import type { ChainCampaign } from './campaign-reads.ts'
import { toTakenInBatch } from './chain-store-batches.ts'
import { refusalOf } from './chain-store-refusals.ts'

/** How often a campaign that was refused is tried again, in milliseconds. */
const RETRY_MS = 60_000

/** A campaign that was left out for a reason, or without one: it is taken in again. */
type OnLeftOut = (campaignId: string, reason: string | undefined) => void

export interface LeftOutOptions {
  onLeftOut?: OnLeftOut | undefined
  retryMs?: number | undefined
}

/** The campaigns of a chain that the database refuses, and when each is tried again. */
export async function createLeftOut(
  client: pg.Client,
  ingest: Ingest,
  chainId: number,
  { onLeftOut = () => undefined, retryMs = RETRY_MS }: LeftOutOptions,
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

  /** To be called within a transaction. */
  async function drop(ids: readonly string[]) {
    await client.query('delete from left_out_campaigns where campaign_id = any ($1)', [ids])
    await client.query('delete from back_filled_claims where chain_id = $1 and campaign_id = any ($2)', [chainId, ids])
  }

  function note(reasons: ReadonlyMap<string, string>) {
    for (const [id, reason] of reasons) {
      if (!triedAt.has(id)) onLeftOut(id, reason)
      triedAt.set(id, Date.now())
    }
  }

  async function takeIn(campaign: ChainCampaign) {
    const { id } = campaign.record
    try {
      await inTransaction(client, async () => {
        await takeImportLock(client)
        await ingest.applyWithin(toTakenInBatch(chainId, campaign))
        await drop([id])
      })
    } catch (error) {
      const reason = refusalOf(error)
      if (reason === undefined) throw error
      await keep(new Map([[id, reason]]))
      triedAt.set(id, Date.now())
      return
    }
    triedAt.delete(id)
    onLeftOut(id, undefined)
  }

  const isDue = (id: string) => Date.now() - (triedAt.get(id) ?? Number.POSITIVE_INFINITY) >= retryMs

  return {
    ids: (): ReadonlySet<string> => new Set(triedAt.keys()),
    /** Campaigns that are to be read, so that they can be tried again. */
    due: () => [...triedAt.keys()].filter(isDue),
    keep,
    note,
    drop,
    /** Campaigns that are not there any more. */
    forget(ids: Iterable<string>) {
      for (const id of ids) triedAt.delete(id)
    },
    /** Writes those whose time has come, each by itself, with the claims that have waited for it. */
    async takeInDue(campaigns: readonly ChainCampaign[]) {
      for (const campaign of campaigns) if (isDue(campaign.record.id)) await takeIn(campaign)
    },
  }
}

export type LeftOut = Awaited<ReturnType<typeof createLeftOut>>

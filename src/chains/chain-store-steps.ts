import type pg from 'pg'
import type { Hex } from 'viem'
import { type Ingest, inTransaction } from '../ingest/batches.ts'
import { takeImportLock } from '../ingest/ingest-lock.ts'
import { listWrittenTables, vacuumBeside } from '../ingest/vacuum.ts'
import type { BlockReference } from './block-links.ts'
import type { ChainCampaign } from './campaign-reads.ts'
import type { ChainSettings } from './chain-file.ts'
import { fingerprintOf, listClaimsAbove, toBatch, toFirstBatch, withoutCampaigns } from './chain-store-batches.ts'
import {
  dropBackFilledClaims,
  dropOrigins,
  forgetUnknownAbove,
  keepBackFilledClaims,
  keepBlocks,
  keepOrigins,
  keepUnknown,
  oldestOf,
  toUnknownCampaign,
} from './chain-store-rows.ts'
import type { FollowedState, FollowingStep } from './following-steps.ts'
import { createLeftOut, type LeftOutOptions } from './left-out-campaigns.ts'
import { findRefused, refusalOf } from './refused-campaigns.ts'

/** Somebody else has written of the same chain: what this process knows of it is of the past. */
export class ChainMovedError extends Error {
  override readonly name = 'ChainMovedError'
}

type StepOf<Type extends FollowingStep['type']> = Extract<FollowingStep, { type: Type }>

/** A look that has found nothing new is noted so often. */
const NOTE_MS = 1000

/** Writes the steps of one chain, one after the other, and remembers what the last one has left. */
export async function createStepWriter(
  client: pg.Client,
  ingest: Ingest,
  { url, chainId, startBlock }: Pick<ChainSettings, 'chainId' | 'startBlock'> & { url: string },
  leftOutOptions: LeftOutOptions,
) {
  let { step, state } = await readStored(client, chainId)
  const leftOut = await createLeftOut(client, ingest, chainId, leftOutOptions)
  let notedAt = 0
  let notedHead = -1
  let tidied = Promise.resolve()
  /** What of campaigns this process has written itself: most of them are claimed from, and no more. */
  const written = new Map<string, string>()
  const isWritten = (campaign: ChainCampaign) => written.get(campaign.record.id) === fingerprintOf(campaign)

  /** Sets columns of the chain, if nobody else has; `step` grows. */
  async function advanceTo(assignments: string, values: unknown[]) {
    const { rowCount } = await client.query(
      `update followed_chains set step = step + 1, looked_at = clock_timestamp(), ${assignments}
      where chain_id = $1 and step = $2`,
      [chainId, step, ...values],
    )
    if (rowCount !== 1) throw new ChainMovedError(`chain ${chainId} has been written by another process`)
  }

  async function note({ head, finalized }: StepOf<'rest'>) {
    const now = Date.now()
    if (now - notedAt < NOTE_MS && head.number === notedHead) return
    await client.query(
      `update followed_chains set head_block = $2, finalized_block = $3, looked_at = clock_timestamp() where chain_id = $1`,
      [chainId, head.number, finalized],
    )
    notedAt = now
    notedHead = head.number
  }

  /** What answers show stays as it is until the chain has been read again. */
  async function restart() {
    await inTransaction(client, async () => {
      for (const table of tablesOfChain) {
        await client.query(`delete from ${table} where chain_id = $1`, [chainId])
      }
      await advanceTo('is_back_filling = true, back_filled_to = $3, back_filled_hash = null', [startBlock - 1])
    })
    leftOut.forget(leftOut.ids())
    state = { asOf: null, window: [], backFilledTo: startBlock - 1, backFilledHash: null }
  }

  async function backFill({ to, hash, head, finalized, origins, claims, unreadable }: StepOf<'back-fill'>) {
    await inTransaction(client, async () => {
      await keepOrigins(client, chainId, origins)
      await keepUnknown(client, chainId, [], unreadable.map(toUnknownCampaign))
      await keepBackFilledClaims(client, chainId, claims)
      await advanceTo('back_filled_to = $3, back_filled_hash = $4, head_block = $5, finalized_block = $6', [
        ...[to, hash, head.number, finalized],
      ])
    })
    state = { ...state, backFilledTo: to, backFilledHash: hash }
  }

  /** Writes all facts of an advance but those of some campaigns, whose claims wait for them. */
  async function writeFacts(advance: StepOf<'advance'>, ids: ReadonlySet<string>) {
    const { base, depth, campaigns, withdrawnCampaigns } = advance
    const isFirst = base === -1
    await takeImportLock(client)
    if (isFirst) await client.query('select advance_claim_windows()')
    const taken = withoutCampaigns(advance, ids)
    const batch = isFirst
      ? await toFirstBatch(client, chainId, taken, ids)
      : await toBatch(client, chainId, taken, isWritten)
    await ingest.applyWithin(batch)
    await keepOrigins(
      client,
      chainId,
      campaigns.map(({ origin }) => origin),
    )
    await dropOrigins(client, withdrawnCampaigns)
    if (isFirst) {
      await client.query('delete from back_filled_claims where chain_id = $1 and campaign_id <> all ($2)', [
        chainId,
        [...ids],
      ])
    }
    if (depth > 0) await dropBackFilledClaims(client, chainId, await listClaimsAbove(client, chainId, base))
    await leftOut.drop(withdrawnCampaigns)
    const waiting = advance.claims.filter(({ record }) => ids.has(record.campaignId))
    await keepBackFilledClaims(client, chainId, waiting)
  }

  /** @param refused campaigns that are left out from here on. */
  const write = (advance: StepOf<'advance'>, refused: ReadonlyMap<string, string> = new Map()) =>
    inTransaction(client, async () => {
      const { base, depth, asOf, head, finalized, campaigns, withdrawnCampaigns } = advance
      if (base === -1 || changesFacts(advance)) {
        await writeFacts(advance, new Set([...leftOut.ids(), ...refused.keys()]))
        await leftOut.keep(refused)
      }
      if (depth > 0) await forgetUnknownAbove(client, chainId, base)
      await keepUnknown(
        client,
        chainId,
        [...campaigns.map(({ record }) => record.id), ...withdrawnCampaigns],
        [...campaigns.flatMap(({ unknown }) => unknown), ...advance.unreadable.map(toUnknownCampaign)],
      )
      await keepBlocks(client, chainId, advance)
      await advanceTo(
        `is_back_filling = false, back_filled_to = $3, back_filled_hash = null, as_of_block = $3, as_of_block_hash = $4,
        as_of_at = to_timestamp($5), head_block = $6, finalized_block = $7`,
        [asOf.number, asOf.hash, asOf.timestamp, head.number, finalized],
      )
      return base === -1 ? listWrittenTables(client) : []
    })

  /** Where the database refuses facts, it takes those of all other campaigns. */
  async function writeTaken(advance: StepOf<'advance'>) {
    try {
      return await write(advance)
    } catch (error) {
      if (refusalOf(error) === undefined) throw error
      const known = leftOut.ids()
      const ids = advance.campaigns.map(({ record }) => record.id).filter((id) => !known.has(id))
      const refused = await findRefused(client, (without) => writeFacts(advance, new Set([...known, ...without])), ids)
      if (refused.size === 0) throw error
      const tables = await write(advance, refused)
      leftOut.note(refused)
      return tables
    }
  }

  async function advance(advance: StepOf<'advance'>) {
    const { base, depth, asOf, finalized, blocks, campaigns, withdrawnCampaigns } = advance
    const isFirst = base === -1
    const tables = await writeTaken(advance)
    leftOut.forget(withdrawnCampaigns)
    const oldest = oldestOf(asOf.number, finalized)
    const kept = depth === 0 && !isFirst ? state.window : state.window.filter(({ number }) => number <= base)
    const window = [...kept, ...blocks].filter(({ number }) => number >= oldest)
    state = { asOf, window, backFilledTo: asOf.number, backFilledHash: null }
    for (const id of withdrawnCampaigns) written.delete(id)
    const without = leftOut.ids()
    for (const campaign of campaigns) {
      const { id } = campaign.record
      if (without.has(id)) written.delete(id)
      else written.set(id, fingerprintOf(campaign))
    }
    await leftOut.takeInDue(campaigns)
    if (tables.length > 0) tidied = vacuumBeside(url, tables)
  }

  return {
    readState: async () => state,
    dueAgain: async () => leftOut.due(),
    /** Leaves `looked_at` as it is: the chain is not heard of by this. */
    async noteHeads({ head, finalized }: { head: number; finalized: number | null }) {
      await client.query(
        'update followed_chains set head_block = $2, finalized_block = coalesce($3, finalized_block) where chain_id = $1',
        [chainId, head, finalized],
      )
    },
    /** Until tables that were written as a whole are in order. */
    settled: () => tidied,
    async apply(next: FollowingStep) {
      if (next.type === 'rest') return note(next)
      if (next.type === 'restart') await restart()
      else if (next.type === 'back-fill') await backFill(next)
      else await advance(next)
      step += 1
    },
  }
}

/** What is found again where a chain is read again. */
const tablesOfChain = [
  'followed_blocks',
  'followed_campaigns',
  'back_filled_claims',
  'unknown_components',
  'left_out_campaigns',
]

/** What another connection has left. */
async function readStored(client: pg.Client, chainId: number): Promise<{ step: number; state: FollowedState }> {
  const { rows } = await client.query<{
    step: string
    isBackFilling: boolean
    backFilledTo: string
    backFilledHash: Hex | null
    window: BlockReference[] | null
  }>(
    `select step, is_back_filling as "isBackFilling", back_filled_to as "backFilledTo",
      back_filled_hash as "backFilledHash", (
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
    step: Number(stored.step),
    state: {
      asOf: stored.isBackFilling ? null : (window.at(-1) ?? null),
      window,
      backFilledTo: Number(stored.backFilledTo),
      backFilledHash: stored.backFilledHash,
    },
  }
}

/** Of most blocks only the number and the hash are new. */
const changesFacts = ({ depth, claims, campaigns, withdrawnCampaigns, tokens }: StepOf<'advance'>) =>
  depth > 0 || claims.length + campaigns.length + withdrawnCampaigns.length + tokens.length > 0

import type pg from 'pg'
import { type Ingest, inTransaction } from '../ingest/batches.ts'
import { vacuumBeside } from '../ingest/vacuum.ts'
import type { ChainCampaign } from './campaign-reads.ts'
import type { ChainSettings } from './chain-file.ts'
import { createAdvanceWriter } from './chain-store-advances.ts'
import { fingerprintOf } from './chain-store-batches.ts'
import { createLeftOut, type LeftOutOptions } from './chain-store-left-out.ts'
import {
  ChainMovedError,
  keepBackFilledClaims,
  keepOrigins,
  keepUnknown,
  oldestOf,
  readStored,
  tablesOfChain,
  toUnknownCampaign,
} from './chain-store-rows.ts'
import type { FollowingStep } from './following-steps.ts'

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

  const writeAdvance = createAdvanceWriter({ client, ingest, chainId, leftOut, isWritten, advanceTo })

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

  async function advance(advance: StepOf<'advance'>) {
    const { base, depth, asOf, finalized, blocks, campaigns, withdrawnCampaigns } = advance
    const isFirst = base === -1
    const tables = await writeAdvance(advance)
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

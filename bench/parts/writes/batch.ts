import { openIngest } from '../../../src/ingest/batches.ts'
import type { ClaimRecord } from '../../../src/ingest/records.ts'
import { aBlock, CLAIMS_IN_A_BATCH, OF_THE_MOST_CLAIMED, removeFacts, toIncentives } from '../../data/block-batches.ts'
import { findAny, findIncentives, findMostClaimed } from '../../data/popular-facts.ts'
import { percentile, timesOf } from '../../measuring/measure.ts'
import type { Part } from '../../measuring/part.ts'

const BATCHES = 300
const LIMIT_MS = 60_000

const what = `a batch of ${CLAIMS_IN_A_BATCH} claims, ${OF_THE_MOST_CLAIMED} of the most claimed campaigns, with new figures of their incentives`

/** One block at a time, on a connection that stays open, without other load. */
export const batch: Part = {
  limitMinutes: 3,
  targets: {
    median: { what: `${what}, p50`, unit: 'ms', rule: 'at most', limit: 10 },
    slow: { what: `${what}, p99`, unit: 'ms', rule: 'at most', limit: 30 },
  },
  async *measure({ facts, signal }) {
    const [max, others] = [await findMostClaimed(facts.url), await findAny(facts.url, 5000)]
    const incentives = await findIncentives(facts.url, [...max, ...others])
    const ingest = await openIngest(facts.url)
    const applied: ClaimRecord[] = []
    try {
      const apply = async () => {
        const block = aBlock(max, others, incentives)
        await ingest.apply(block)
        applied.push(...block.records)
      }
      const [firstMs = 0] = await timesOf(1, apply)
      const times: number[] = []
      for (const end = Date.now() + LIMIT_MS; times.length < BATCHES && Date.now() < end; ) {
        signal.throwIfAborted()
        times.push(...(await timesOf(1, apply)))
      }
      times.sort((one, other) => one - other)
      const note = `${times.length} batches, worst ${percentile(times, 1).toFixed(1)} ms, the first on a connection ${firstMs.toFixed(1)} ms`
      yield { target: 'median', value: percentile(times, 0.5), note }
      yield { target: 'slow', value: percentile(times, 0.99), note }
    } finally {
      const ids = new Set(applied.map(({ campaignId }) => campaignId))
      await removeFacts(ingest, { claims: applied, incentives: toIncentives(ids, incentives) })
      await ingest.close()
    }
  },
}

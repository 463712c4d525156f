import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidParameterError, OverloadedError } from 'reward-campaigns-strict-http/request/errors/errors'
import type { AsOf } from '../database/lookups/followed-chains.ts'
import { BlockNotReachedError } from '../http/service-errors.ts'
import type { DataVersion } from '../read-models/data-version/read.ts'
import type { MinimumBlocks } from '../schemas/parameters/shared-parameters.ts'

/** How long a request waits for its blocks. */
export const MIN_BLOCK_TIMEOUT_MS = 2000

/** The interval between checks, shared by all waiting requests. */
const POLL_INTERVAL_MS = 40

/** Maximum number of waiting requests; more are refused at once. */
const MAX_WAITING = 1000

/**
 * Waits until the data has reached some blocks.
 * @param readVersion called once for all that wait.
 * @returns a function that returns the first version, from the given one on, that has reached the blocks.
 */
export function createBlockWait(readVersion: () => Promise<DataVersion>) {
  let waiting = 0
  let nextPoll: Promise<DataVersion> | undefined

  async function pollLater() {
    await sleep(POLL_INTERVAL_MS)
    nextPoll = undefined
    return readVersion()
  }

  /**
   * @throws InvalidParameterError where a chain is not followed.
   * @throws BlockNotReachedError where a block has not come in time.
   */
  return async (
    minimumBlocks: MinimumBlocks,
    version: DataVersion,
    signal: AbortSignal | undefined,
  ): Promise<DataVersion> => {
    if (minimumBlocks === undefined) return version
    const required = toRequiredBlocks(minimumBlocks)
    if (isReached(required, version.asOf)) return version
    if (waiting >= MAX_WAITING) throw new OverloadedError()
    waiting += 1
    try {
      const deadline = performance.now() + MIN_BLOCK_TIMEOUT_MS
      let reached = version
      while (performance.now() < deadline && signal?.aborted !== true) {
        nextPoll ??= pollLater()
        reached = await nextPoll
        if (isReached(required, reached.asOf)) return reached
      }
      throw new BlockNotReachedError(describe(required, reached.asOf))
    } finally {
      waiting -= 1
    }
  }
}

/** The highest block of each chain. */
function toRequiredBlocks(minimumBlocks: readonly string[]) {
  const required: RequiredBlocks = new Map()
  for (const [chainId = '', block = ''] of minimumBlocks.map((text) => text.split(':'))) {
    required.set(chainId, Math.max(Number(block), required.get(chainId) ?? 0))
  }
  return required
}

/** By chain ID as it is written: it may be too large for a number. */
type RequiredBlocks = Map<string, number>

/** @throws InvalidParameterError where a chain is not followed. */
function isReached(required: RequiredBlocks, { blocks }: AsOf) {
  for (const chainId of required.keys()) {
    const isFollowed = [...blocks.keys()].some((followed) => String(followed) === chainId)
    if (!isFollowed) throw new InvalidParameterError('minBlock', `minBlock names chain ${chainId}, ${whichAre(blocks)}`)
  }
  return [...required].every(([chainId, block]) => (blocks.get(Number(chainId)) ?? -1) >= block)
}

const whichAre = (blocks: AsOf['blocks']) =>
  blocks.size === 0 ? 'but no chain is indexed' : `which is not indexed (indexed: ${[...blocks.keys()].join(', ')})`

const describe = (required: RequiredBlocks, { blocks }: AsOf) =>
  [...required]
    .map(([chainId, block]) => {
      const reached = blocks.get(Number(chainId))
      const progress = reached === undefined ? 'is still backfilling' : `is at block ${reached}`
      return `chain ${chainId} ${progress}, requested was ${block}`
    })
    .join('; ')

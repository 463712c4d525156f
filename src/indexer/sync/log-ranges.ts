import type { Hex } from 'viem'
import { isFeedLog } from '../feeds/feed-prices.ts'
import type { ChainLog } from '../protocol/chain-logs.ts'
import { needsTime } from '../protocol/protocols.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import { EndpointError } from '../rpc/endpoint-errors.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'

/** Logs of a range of blocks, with the blocks whose timestamps matter. */
export interface LogRange {
  to: number
  /** Hash of the last block. */
  hash: Hex
  logs: ChainLog[]
  blocks: BlockHeader[]
}

export interface BackFillSettings {
  /** Ranges requested at the same time. */
  parallelRanges: number
  /** Blocks of a range. */
  rangeBlocks: number
  /** Newest blocks that are read at once: so fast that nodes still have the state of contracts at the last of them. */
  headBlocks: number
}

export const defaultBackFillSettings: BackFillSettings = { parallelRanges: 4, rangeBlocks: 2000, headBlocks: 32 }

/** The chain differs from the one whose blocks were read by number. */
export class OtherHistoryError extends EndpointError {
  constructor() {
    super('unknown-block', 'the blocks that were read first are not on the chain any more')
  }
}

/**
 * Reads ranges of final blocks, several at the same time, and returns them in order.
 * @param before hash of the block before the first, if known.
 * @throws OtherHistoryError if a range belongs to another chain history than the range before it.
 */
export async function* readRanges(
  client: ChainClient,
  from: number,
  to: number,
  { parallelRanges, rangeBlocks }: BackFillSettings,
  before: Hex | null = null,
): AsyncGenerator<LogRange> {
  let last = before
  const underWay: Promise<ReadRange>[] = []
  for (let start = from; start <= to || underWay.length > 0; ) {
    while (start <= to && underWay.length < parallelRanges) {
      const range = readRange(client, start, Math.min(to, start + rangeBlocks - 1), underWay.at(-1))
      // It may fail before its turn comes.
      range.catch(() => undefined)
      underWay.push(range)
      start += rangeBlocks
    }
    const next = underWay.shift()
    if (next === undefined) continue
    const { parentHash, ...range } = await next
    if (last !== null && parentHash !== last) throw new OtherHistoryError()
    last = range.hash
    yield range
  }
}

type ReadRange = LogRange & { parentHash: Hex }

async function readRange(
  client: ChainClient,
  from: number,
  to: number,
  before: Promise<ReadRange> | undefined,
): Promise<ReadRange> {
  const logs = await client.logsBetween(from, to, before)
  const dated = logs.filter((log) => isFeedLog(log) || needsTime(log))
  // The first and the last block show whether ranges belong to the same history.
  const numbers = [...new Set([from, to, ...dated.map(({ blockNumber }) => blockNumber)])]
  const blocks = await client.blocksAt(numbers)
  const [first, end = first] = blocks
  if (first === undefined || end === undefined) throw new TypeError('a range has no blocks')
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]))
  if (dated.some(({ blockNumber, blockHash }) => hashes.get(blockNumber) !== blockHash)) {
    throw new EndpointError('unknown-block', 'the logs of a range are of other blocks than the chain has')
  }
  return { to, hash: end.hash, parentHash: first.parentHash, logs, blocks }
}

import type { ChainClient } from './chain-client.ts'
import { EndpointError } from './endpoint-errors.ts'
import type { BlockHeader } from './node-answers.ts'
import { type ChainLog, readLog } from './protocol-events.ts'

/** Logs of a range of blocks, with the blocks of which the time matters. */
export interface LogRange {
  to: number
  logs: ChainLog[]
  blocks: BlockHeader[]
}

export interface BackFillSettings {
  /** Ranges that are asked for at the same time. */
  parallelRanges: number
  /** Blocks of a range. */
  rangeBlocks: number
}

export const defaultBackFillSettings: BackFillSettings = { parallelRanges: 4, rangeBlocks: 2000 }

/** Reads ranges of final blocks, several at the same time, and gives them in order. */
export async function* readRanges(
  client: ChainClient,
  from: number,
  to: number,
  { parallelRanges, rangeBlocks }: BackFillSettings,
): AsyncGenerator<LogRange> {
  const underWay: Promise<LogRange>[] = []
  for (let start = from; start <= to || underWay.length > 0; ) {
    while (start <= to && underWay.length < parallelRanges) {
      const range = readRange(client, start, Math.min(to, start + rangeBlocks - 1), underWay.at(-1))
      // It may fail before its turn comes.
      range.catch(() => undefined)
      underWay.push(range)
      start += rangeBlocks
    }
    const next = underWay.shift()
    if (next !== undefined) yield await next
  }
}

async function readRange(
  client: ChainClient,
  from: number,
  to: number,
  before: Promise<LogRange> | undefined,
): Promise<LogRange> {
  const logs = await client.logsBetween(from, to, before)
  const dated = logs.filter(needsTime)
  const numbers = [...new Set(dated.map(({ blockNumber }) => blockNumber))]
  const blocks = await client.blocksAt(numbers)
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]))
  if (dated.some(({ blockNumber, blockHash }) => hashes.get(blockNumber) !== blockHash)) {
    throw new EndpointError('unknown-block', 'the logs of a range are of other blocks than the chain has')
  }
  return { to, logs, blocks }
}

/** Campaigns and claims have the time of their block. */
function needsTime(log: ChainLog) {
  const type = readLog(log)?.type
  return type === 'BoostCreated' || type === 'BoostClaimed'
}

import { readFileSync } from 'node:fs'
import type { Hex } from 'viem'
import type { ChainLog } from '../../../src/indexer/protocol/chain-logs.ts'
import type { ContractCall } from '../../../src/indexer/protocol/contracts/contract-reader.ts'

interface RecordedBlock {
  number: number
  timestamp: number
  hash: Hex
  parentHash: Hex
  transactions: { hash: Hex; from: Hex; to: Hex; logs: { address: Hex; topics: Hex[]; data: Hex }[] }[]
  reads: { to: Hex; data: Hex; result: Hex | null }[]
}

interface Recording {
  chainId: number
  cores: Hex[]
  openAllowLists: Hex[]
  startBlock: number
  blocks: RecordedBlock[]
}

export const recording: Recording = JSON.parse(readFileSync(new URL('./chain-recording.json', import.meta.url), 'utf8'))

/** What of the chain decides how it is read. */
export const recordedChain = {
  chainId: recording.chainId,
  cores: new Set(recording.cores),
  timeBasedManagers: new Set<Hex>(),
  openAllowLists: new Set(recording.openAllowLists),
  prices: [],
  trustedTokens: new Set<Hex>(),
}

/** All logs of some blocks, as a node tells them. */
export const logsOf = (blocks: readonly RecordedBlock[]): ChainLog[] =>
  blocks.flatMap(({ number, hash, transactions }) =>
    transactions
      .flatMap((transaction) => transaction.logs.map((log) => ({ ...log, transactionHash: transaction.hash })))
      .map((log, logIndex) => ({ ...log, blockNumber: number, blockHash: hash, logIndex })),
  )

/** What contracts answer at the end of any block. */
export function callsOf() {
  const responses = new Map<string, { number: number; result: Hex | null }[]>()
  for (const { number, reads } of recording.blocks) {
    for (const { to, data, result } of reads) {
      responses.set(to + data, [...(responses.get(to + data) ?? []), { number, result }])
    }
  }
  return (blockNumber: number, to: Hex, data: Hex) =>
    responses.get(to + data)?.findLast(({ number }) => number <= blockNumber)?.result ?? null
}

/** The same as of one block, asked for together. */
export function callsAt(blockNumber: number) {
  const call = callsOf()
  return async (calls: readonly ContractCall[]) => calls.map(({ to, data }) => call(blockNumber, to, data))
}

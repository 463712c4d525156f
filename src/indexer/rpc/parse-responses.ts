import type { Hex } from 'viem'
import type { ChainLog } from '../protocol/chain-logs.ts'
import { EndpointError } from './endpoint-errors.ts'

/* Responses of nodes, checked: none is assumed to have the right form. */

/** A block, as far as it is needed. */
export interface BlockHeader {
  number: number
  hash: Hex
  parentHash: Hex
  /** Unix seconds. */
  timestamp: number
  /** What its logs are about, where the node says so. */
  logsBloom?: Hex
}

const garbage = (what: string) => new EndpointError('garbage', `${what} is not of the form it should have`)

const isHex = (value: unknown): value is Hex => typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)

function readHash(value: unknown, what: string): Hex {
  if (!isHex(value) || value.length !== 66) throw garbage(what)
  return toLowerCase(value)
}

const toLowerCase = (hex: Hex) => hex.toLowerCase() as Hex

/** A quantity: hexadecimal without leading zeros, below 2^53. */
export function readQuantity(value: unknown, what: string): number {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,14}$/i.test(value)) throw garbage(what)
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw garbage(what)
  return number
}

/** A number in JSON-RPC encoding. */
export const toQuantity = (number: number): Hex => `0x${number.toString(16)}`

/** The object, or garbage. */
export function readObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw garbage(what)
  return { ...value }
}

/** A block; null where there is none, which is not to say that there is no such block. */
export function readHeader(value: unknown): BlockHeader | null {
  if (value === null) return null
  const block = readObject(value, 'a block')
  return {
    number: readQuantity(block.number, 'the number of a block'),
    hash: readHash(block.hash, 'the hash of a block'),
    parentHash: readHash(block.parentHash, 'the parent hash of a block'),
    timestamp: readQuantity(block.timestamp, 'the time of a block'),
    ...(isBloom(block.logsBloom) && { logsBloom: block.logsBloom }),
  }
}

const isBloom = (value: unknown): value is Hex => isHex(value) && value.length === 2 + 2 * 256

/**
 * Logs in the order of the chain. What a log says of itself is believed where that leaves it out: some nodes list logs
 * of withdrawn blocks, and of transactions that are in no block yet. Anything else that is unreadable may stand for a
 * log of the chain, and makes the list unusable.
 */
export function readLogs(value: unknown): ChainLog[] {
  if (!Array.isArray(value)) throw garbage('a list of logs')
  const logs = value.flatMap((one): ChainLog[] => {
    const log = readObject(one, 'a log')
    if (log.removed === true || log.blockHash === null) return []
    return [readLog(log)]
  })
  return inOrder(logs)
}

function readLog(log: Record<string, unknown>): ChainLog {
  const { address, topics, data } = log
  if (!isHex(address) || address.length !== 42 || !isHex(data) || !Array.isArray(topics)) throw garbage('a log')
  return {
    address: toLowerCase(address),
    topics: topics.map((topic) => readHash(topic, 'a topic')),
    data: toLowerCase(data),
    blockNumber: readQuantity(log.blockNumber, 'the block of a log'),
    blockHash: readHash(log.blockHash, 'the block of a log'),
    transactionHash: readHash(log.transactionHash, 'the transaction of a log'),
    logIndex: readQuantity(log.logIndex, 'the index of a log'),
  }
}

/** Each log once, in the order of the chain: a repeated one would be a second claim without a payment. */
export const inOrder = (logs: readonly ChainLog[]) =>
  [...new Map(logs.map((log) => [`${log.blockHash}/${log.logIndex}`, log])).values()].sort(
    (one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex,
  )

/** What a contract returned. */
export function readBytes(value: unknown): Hex {
  if (!isHex(value)) throw garbage('the response of a contract')
  return toLowerCase(value)
}

import type { Hex } from 'viem'
import { toFunctionSelector } from 'viem/utils'
import { type CheckedFinding, type Finding, failed, ok, warning } from '../schemas/check-findings.ts'
import type { ChainSettings } from './chain-config.ts'
import { faultOfFeed, readFeed } from './feeds/feed-sources.ts'
import { feedsOf } from './feeds/followed-feeds.ts'
import { createContractReader } from './protocol/contracts/contract-reader.ts'
import { toVersion } from './protocol/contracts/read-versions.ts'
import { factoriesOf, factoryCalls, protocolTopics } from './protocol/protocols.ts'
import { toAddressAndHeaders } from './rpc/endpoint-address.ts'
import { EndpointError, toEndpointError } from './rpc/endpoint-errors.ts'
import { defaultEndpointSettings } from './rpc/endpoints.ts'
import { createTransport, type RpcCall } from './rpc/json-rpc.ts'
import { type BlockHeader, readBytes, readHeader, readLogs, readQuantity, toQuantity } from './rpc/parse-responses.ts'
import { defaultBackFillSettings } from './sync/log-ranges.ts'
import { FINAL_BELOW_HEAD } from './sync/sync-updates.ts'

/** As many addresses as a search ever has. */
const MAX_ADDRESSES = 200

const { rangeBlocks: MAX_BLOCKS, parallelRanges } = defaultBackFillSettings

/** One endpoint, asked without batches, and never again: what it says is the finding. */
type Ask = <Result>(call: RpcCall, read: (result: unknown) => Result) => Promise<Result>

/**
 * Asks each endpoint of a chain what following it needs, and the first that can be followed for the contracts of the chain file. Writes
 * nothing anywhere.
 * @returns findings that name endpoints by their number and host.
 */
export async function checkChain(chain: ChainSettings, signal: AbortSignal): Promise<CheckedFinding[]> {
  const findings: CheckedFinding[] = []
  let isCovered = false
  for (const [index, url] of chain.urls.entries()) {
    const name = `endpoint ${index + 1} (${toAddressAndHeaders(url).address.host})`
    const add = (finding: Finding) => findings.push({ check: `chain ${chain.chainId}, ${name}`, ...finding })
    const found = await checkEndpoint(chain, createAsk(url, signal), add)
    if (found === undefined || isCovered) continue
    isCovered = true
    const contracts = await checkContracts(chain, found.ask, found.head)
    findings.push(...contracts.map((finding) => ({ check: `chain ${chain.chainId}`, ...finding })))
  }
  return findings
}

function createAsk(url: string, signal: AbortSignal): Ask {
  const send = createTransport(url, defaultEndpointSettings, () => undefined)
  return async (call, read) => {
    const [response] = await send([call], signal)
    if (response === undefined) throw new EndpointError('garbage', 'a response is missing')
    if ('error' in response) throw toEndpointError(response.error)
    return read(response.result)
  }
}

const blockOf = (block: number | 'latest' | 'finalized'): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [typeof block === 'number' ? toQuantity(block) : block, false],
})

/** @returns undefined for one that cannot be used. */
async function checkEndpoint(chain: ChainSettings, ask: Ask, add: (finding: Finding) => void) {
  try {
    const chainId = await ask({ method: 'eth_chainId', params: [] }, (id) => readQuantity(id, 'a chain ID'))
    if (chainId !== chain.chainId) {
      add(failed(`is of chain ${chainId}, not of chain ${chain.chainId}`, 'correct its URL in the chain file'))
      return undefined
    }
    const head = await ask(blockOf('latest'), readHeader)
    if (head === null) throw new EndpointError('unknown-block', 'has no newest block')
    const finalized = await ask(blockOf('finalized'), readHeader).catch(toNone)
    add(
      ok(`responds as chain ${chainId}, at block ${head.number}${finalized ? '' : ', and does not say what is final'}`),
    )
    await checkSearches(chain, ask, add, { head, finalized: finalized?.number ?? head.number - FINAL_BELOW_HEAD })
    return { ask, head }
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error
    add(failed(error.message, 'see the guide on following a chain for what helps'))
    return undefined
  }
}

/** What an endpoint does not say; null. @throws other errors. */
function toNone(error: unknown): null {
  if (error instanceof EndpointError) return null
  throw error
}

/** Which searches of logs an endpoint takes, and how long the backfill takes with them. */
async function checkSearches(
  chain: ChainSettings,
  ask: Ask,
  add: (finding: Finding) => void,
  { head, finalized }: { head: BlockHeader; finalized: number },
) {
  const factories = [...factoriesOf(chain)]
  const search = (from: number, to: number, address?: readonly Hex[]) => {
    const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) }
    const filter = { ...range, ...(address && { address }), topics: [protocolTopics] }
    return ask({ method: 'eth_getLogs', params: [filter] }, readLogs)
  }
  const newest = (blocks: number, addresses?: readonly Hex[]) =>
    search(Math.max(0, head.number - blocks + 1), head.number, addresses)
  const isRefused = (error: unknown) => error instanceof EndpointError && error.rejection === 'needs-addresses'
  const needsAddresses = await newest(1).then(() => false, isRefused)
  const own = needsAddresses ? factories.slice(0, 1) : undefined
  const searchStart = () => search(chain.startBlock, chain.startBlock, own)
  add(await findHistory(chain.startBlock, head.number, searchStart, needsAddresses ? undefined : ask))
  const blocks = await findLargest(MAX_BLOCKS, (count) => newest(count, own))
  const madeUp = (count: number) =>
    Array.from({ length: count }, (_, index) => factories[index] ?? toMadeUpAddress(index))
  const addresses = await findLargest(MAX_ADDRESSES, (count) => newest(1, madeUp(count)))
  const searches = `takes searches of ${describe(blocks, MAX_BLOCKS, 'blocks')} and ${describe(addresses, MAX_ADDRESSES, 'addresses')}`
  if (blocks === 0) return add(failed('takes no search of logs of the newest block', 'use another endpoint'))
  add(
    needsAddresses
      ? warning(`${searches}, and none without addresses`, 'a chain with many campaigns then needs many requests')
      : ok(searches),
  )
  const first = performance.now()
  await newest(blocks, own)
  add(ok(describeBackfill(finalized - chain.startBlock + 1, blocks, performance.now() - first)))
}

const toMadeUpAddress = (index: number): Hex => `0x${(index + 1).toString(16).padStart(40, '0')}`

const describe = (count: number, max: number, what: string) =>
  `${count === max ? `${count} ${what}, the most that are requested` : `${count} ${what}`}`

/**
 * Whether an endpoint has the logs from the first block on. Some nodes return an empty list for history that they have
 * pruned: the bloom filter in a header says whether the block has logs.
 * @param search finds logs of the protocol in the first block.
 * @param ask undefined if the endpoint takes no search of all logs of a block.
 */
async function findHistory(
  startBlock: number,
  head: number,
  search: () => Promise<readonly unknown[]>,
  ask: Ask | undefined,
): Promise<Finding> {
  if (startBlock > head) return warning(`has not come to startBlock ${startBlock} yet`, 'wait, or correct startBlock')
  const unknown = (why: string) =>
    warning(
      `returns no error for logs at startBlock ${startBlock}; whether it has them is not known: ${why}`,
      'compare with another endpoint; once the chain is indexed, counters of contracts show what is missing',
    )
  try {
    if ((await search()).length > 0) return ok(`has logs at startBlock ${startBlock}`)
    if (ask === undefined) return unknown('it takes no search without addresses')
    const oldest = await findBlockWithLogs(ask, toTried(startBlock, head))
    if (typeof oldest === 'string') return unknown(oldest)
    if (await hasLogs(ask, oldest)) {
      return ok(
        oldest.number === startBlock
          ? `has logs at startBlock ${startBlock}`
          : `has logs of block ${oldest.number}, the first with logs of those tried from startBlock ${startBlock} on`,
      )
    }
    // On some chains bloom filters are wrong.
    const newest = await findBlockWithLogs(
      ask,
      toTried(0, head).map((back) => head - back),
    )
    if (typeof newest === 'string' || !(await hasLogs(ask, newest)))
      return unknown('bloom filters contradict it for new blocks, too')
    return failed(
      `has no logs of block ${oldest.number}, though its header says that there are some: from startBlock ${startBlock} on, history is pruned`,
      'use an endpoint that has them, or a later startBlock',
    )
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error
    return failed(`has no logs at startBlock ${startBlock}: ${error.message}`, 'use an endpoint that has them')
  }
}

/** How many blocks in a row are tried, before those that are twice as far away each time. */
const BLOCKS_IN_A_ROW = 8

function toTried(from: number, to: number): number[] {
  const tried: number[] = []
  for (let distance = 0; from + distance <= to; distance += Math.max(1, distance - BLOCKS_IN_A_ROW)) {
    tried.push(from + distance)
  }
  return tried
}

/** The first of some blocks whose bloom filter says that it has logs, or why there is none. */
async function findBlockWithLogs(ask: Ask, numbers: readonly number[]): Promise<BlockHeader | string> {
  for (const number of numbers) {
    const block = await ask(blockOf(number), readHeader)
    if (block === null) throw new EndpointError('unknown-block', `does not have block ${number}`)
    if (block.logsBloom === undefined) return 'headers have no bloom filter'
    if (/[1-9a-f]/i.test(block.logsBloom.slice(2))) return block
  }
  return 'no block that was tried has logs'
}

const hasLogs = async (ask: Ask, { hash }: BlockHeader) =>
  (await ask({ method: 'eth_getLogs', params: [{ blockHash: hash }] }, readLogs)).length > 0

/** The largest number that is not refused, up to a maximum; 0 if none. */
async function findLargest(max: number, attempt: (count: number) => Promise<unknown>): Promise<number> {
  const passes = (count: number) =>
    attempt(count).then(
      () => true,
      (error) => toNone(error) !== null,
    )
  if (await passes(max)) return max
  let [accepted, refused] = [0, max]
  while (refused - accepted > 1) {
    const middle = Math.floor((accepted + refused) / 2)
    if (await passes(middle)) accepted = middle
    else refused = middle
  }
  return accepted
}

function describeBackfill(blocks: number, rangeBlocks: number, rangeMs: number) {
  const ranges = Math.max(1, Math.ceil(blocks / rangeBlocks))
  const seconds = (ranges * rangeMs) / 1000 / Math.min(parallelRanges, ranges)
  return `the backfill is ${Math.max(0, blocks)} blocks in ${ranges} searches, roughly ${describeTime(seconds)} and what the campaigns take`
}

/** In the largest unit of which there are two. */
function describeTime(seconds: number) {
  const [unit, length] = units.find(([, length]) => seconds >= 2 * length) ?? ['seconds', 1]
  return `${Math.max(1, Math.round(seconds / length))} ${unit}`
}

const units = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
] as const

/** The cores, managers and feeds of a chain file, as the newest block has them. The first cores have no version. */
async function checkContracts(chain: ChainSettings, ask: Ask, { hash }: BlockHeader): Promise<Finding[]> {
  const call = (to: Hex, data: Hex) =>
    ask({ method: 'eth_call', params: [{ to, data }, { blockHash: hash }] }, readBytes).catch(toNone)
  const reader = createContractReader((calls) => Promise.all(calls.map(({ to, data }) => call(to, data))))
  const factories = factoryCalls(chain, 0).map(async ({ to, data }): Promise<Finding> => {
    const [first, version] = await Promise.all([call(to, data), call(to, VERSION)])
    const kind = chain.cores.has(to) ? 'core' : 'manager'
    if (first === '0x' || (first === null && version === null)) {
      return failed(`${to} does not respond as a ${kind}`, 'correct it in the chain file')
    }
    const known = toVersion(version ?? '0x')
    return ok(`${to} is a ${kind} ${known === undefined ? 'without a version' : `of version ${known}`}`)
  })
  const feeds = feedsOf(chain.prices).map(async (feed): Promise<Finding> => {
    const source = await readFeed(reader, feed)
    const fault = faultOfFeed(source)
    if (source === undefined || fault !== undefined) {
      return failed(`the feed ${feed} ${fault}`, 'correct it in the chain file')
    }
    const { description, decimals, aggregators } = source
    return ok(
      `the feed ${feed} is ${JSON.stringify(description)}, ${decimals} decimals, ${aggregators.length} aggregators`,
    )
  })
  return Promise.all([...factories, ...feeds])
}

const VERSION = toFunctionSelector('version()')

import { LRUCache } from 'lru-cache'
import type { Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { EndpointError } from '../../rpc/endpoint-errors.ts'
import type { Endpoint, Endpoints } from '../../rpc/endpoints.ts'
import { contractCall, type RpcRequest } from '../../rpc/rpc-requests.ts'
import { type ChainLog, toAddress, topicsOf, zeroAddress } from '../chain-logs.ts'
import { readFunctions } from '../contracts/abi-functions.ts'
import type { CallContracts, ContractCall } from '../contracts/contract-reader.ts'
import { coreEvents } from './core-events.ts'
import { readLog } from './protocol-events.ts'

/** After so many failures, while other calls at the same block succeed, a call counts as one that reverts. */
const MAX_ROUNDS = 3

/** How long a call that has failed so often is not repeated. */
const SILENCE_MS = 600_000

/** How many such calls are remembered: contracts of others cause them. */
const MAX_SILENT = 10_000

/**
 * Calls contracts at a block. Whoever deploys a contract decides what it does: a call may fail with a message that no
 * other client uses, or take longer than a node allows. What the same endpoint reads of a core distinguishes this from an
 * endpoint that fails, or cannot read the state for a while; after several attempts the call counts as one that reverts.
 *
 * A node without the state of a block may return nothing at all, as for an address without a contract. A core returns
 * something, so an endpoint for which no core does is not believed, and its empty responses are requested again.
 * @param knownContracts those of the stored campaigns.
 */
export function createContractCalls(
  endpoints: Endpoints,
  cores: ReadonlySet<Hex>,
  knownContracts: () => Promise<readonly Hex[]>,
) {
  const silent = new LRUCache<string, true>({ max: MAX_SILENT, ttl: SILENCE_MS })
  const isSilent = ({ to, data }: ContractCall) => silent.has(to + data)

  return (hash: Hex, signal: AbortSignal): CallContracts =>
    async (calls) => {
      const open = calls.filter((call) => !isSilent(call))
      const requests = open.map((call) => callRequest(call, hash))
      let rounds = 0
      const responses = await endpoints.call({
        async request(endpoint) {
          const first = await endpoint.call(requests)
          const isEmpty = first.includes('0x')
          const lacksState = isEmpty && !(await hasCore(endpoint, cores, hash))
          if (lacksState) {
            rounds += 1
            // Before a core is deployed there are no campaigns, and only contracts of others are called.
            const isCoreThere = open.some(({ to }) => cores.has(to)) || (await knownContracts()).length > 0
            if (isCoreThere || rounds < MAX_ROUNDS) throw new EndpointError('unknown-block', 'has no state of a block')
          }
          // It may have got the state in between: what was empty before is requested again.
          const found = isEmpty && !lacksState ? await endpoint.call(requests) : first
          const failed = open.filter((_, index) => found[index] instanceof EndpointError)
          if (failed.length === 0) return found
          for (let times = 0; times < 2; times += 1) await ensureReading(endpoint, cores, hash, rounds + times)
          rounds += 1
          if (rounds < MAX_ROUNDS) throw new EndpointError('refused', 'does not respond to a call')
          // A node may fail each call of a batch that is too large for it: a call on its own is judged on its own.
          const alone = await Promise.all(
            requests.map(async (request, index) => {
              const response = found[index]
              return response instanceof EndpointError ? (await endpoint.call([request]))[0] : response
            }),
          )
          for (const [index, { to, data }] of open.entries()) {
            if (alone[index] instanceof EndpointError) silent.set(to + data, true)
          }
          return alone
        },
        signal,
      })
      const byCall = new Map(open.map((call, index) => [call, responses[index]]))
      return calls.map((call) => {
        const response = byCall.get(call)
        return response === undefined || response instanceof EndpointError ? null : response
      })
    }
}

const getBoost = { abi: readFunctions, functionName: 'getBoost' } as const

/**
 * Whether an endpoint has one of the cores at a block.
 * @param campaign is read of each. Which one does not matter: a core returns something of any.
 * @throws EndpointError if it can read none of them.
 */
async function hasCore(endpoint: Endpoint, cores: ReadonlySet<Hex>, hash: Hex, campaign = 0) {
  const data = encodeFunctionData({ ...getBoost, args: [BigInt(campaign)] })
  const responses = await endpoint.call([...cores].map((to) => callRequest({ to, data }, hash)))
  const failures = responses.filter((response) => response instanceof EndpointError)
  if (failures[0] !== undefined && failures.length === responses.length) throw failures[0]
  return responses.some((response) => !(response instanceof EndpointError) && response !== '0x')
}

/** @throws EndpointError if the endpoint cannot read contracts at a block. @param count each time another, which no cache has. */
async function ensureReading(endpoint: Endpoint, cores: ReadonlySet<Hex>, hash: Hex, count: number) {
  // Before a core is deployed, there is nothing to read: an address without a contract has to do.
  if (!(await hasCore(endpoint, cores, hash, count)))
    await endpoint.call([contractCall({ to: zeroAddress, data: `0x0${count}` }, { blockHash: hash })])
}

/** Returns null for a call that reverts, and an error for one that fails otherwise while other calls succeed. */
const callRequest = (call: ContractCall, blockHash: Hex): RpcRequest<Hex | null | EndpointError> => {
  const request = contractCall(call, { blockHash })
  return {
    ...request,
    readError: (error) => (error.rejection === 'other' ? error : (request.readError?.(error) ?? null)),
    isFinal: (response) => response !== '0x',
  }
}

/** Parts of campaigns named in one look, which may not be stored yet. */
export interface NamedParts {
  contracts: Set<Hex>
  /** Campaigns whose incentives are still to be read from the core: the first contracts do not name them in events. */
  pending: { core: Hex; boostId: bigint }[]
}

const namingTopics = topicsOf(coreEvents.filter(({ name }) => name === 'BoostCreated' || name === 'IncentiveAdded'))

/** Notes the contracts that cores name as parts of a campaign. */
export function recordParts(logs: readonly ChainLog[], cores: ReadonlySet<Hex>, named: NamedParts) {
  for (const log of logs) {
    if (!namingTopics.includes(log.topics[0] ?? '0x') || !cores.has(log.address)) continue
    const event = readLog(log)
    if (event?.type === 'IncentiveAdded') named.contracts.add(event.incentiveAddress)
    if (event?.type !== 'BoostCreated') continue
    named.contracts.add(event.action)
    named.pending.push({ core: log.address, boostId: event.boostId })
  }
}

/** Reads the incentives of campaigns from their cores, as of a block; cores list all that ever existed. */
export async function findIncentives(endpoint: Endpoint, named: NamedParts, block: 'latest' | { blockHash: Hex }) {
  const campaigns = [...named.pending]
  const responses = await endpoint.call(
    campaigns.map(({ core, boostId }) =>
      contractCall({ to: core, data: encodeFunctionData({ ...getBoost, args: [boostId] }) }, block),
    ),
  )
  for (const incentive of responses.flatMap(readIncentives)) named.contracts.add(toAddress(incentive))
  const settled = new Set(campaigns)
  named.pending = named.pending.filter((campaign) => !settled.has(campaign))
}

/** None if the core returns another form. */
function readIncentives(data: Hex | null) {
  try {
    return data === null ? [] : decodeFunctionResult({ ...getBoost, data }).incentives
  } catch {
    return []
  }
}

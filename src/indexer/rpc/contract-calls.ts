import { LRUCache } from 'lru-cache'
import type { Hex } from 'viem'
import { zeroAddress } from '../protocol/chain-logs.ts'
import type { CallContracts, ContractCall } from '../protocol/contracts/contract-reader.ts'
import type { ChainIdentity } from '../protocol/protocol.ts'
import { factoriesOf, factoryCalls } from '../protocol/protocols.ts'
import { EndpointError } from './endpoint-errors.ts'
import type { Endpoint, Endpoints } from './endpoints.ts'
import { contractCall, type RpcRequest } from './rpc-requests.ts'

/** After so many failures, while other calls at the same block succeed, a call counts as one that reverts. */
const MAX_ROUNDS = 3

/** How long a call that has failed so often is not repeated. */
const SILENCE_MS = 600_000

/** How many such calls are remembered: contracts of others cause them. */
const MAX_SILENT = 10_000

/**
 * Calls contracts at a block. Whoever deploys a contract decides what it does: a call may fail with a message that no
 * other client uses, or take longer than a node allows. What the same endpoint reads of a factory of campaigns distinguishes this from an
 * endpoint that fails, or cannot read the state for a while; after several attempts the call counts as one that reverts.
 *
 * A node without the state of a block may return nothing at all, as for an address without a contract. A factory returns
 * something, so an endpoint for which none does is not believed, and its empty responses are requested again.
 * @param knownContracts those of the stored campaigns.
 */
export function createContractCalls(
  endpoints: Endpoints,
  chain: ChainIdentity,
  knownContracts: () => Promise<readonly Hex[]>,
) {
  const factories = factoriesOf(chain)
  const silent = new LRUCache<string, true>({ max: MAX_SILENT, ttl: SILENCE_MS })
  const isSilent = ({ to, data }: ContractCall) => silent.has(to + data)

  const callEarly =
    (hash: Hex, later: Hex | undefined, signal: AbortSignal): CallContracts =>
    (calls) => {
      const requests = calls.map((call) => contractCall(call, { blockHash: hash }))
      return endpoints.call({
        async request(endpoint) {
          const responses = await endpoint.call(requests)
          const mayLackState = later !== undefined && responses.includes('0x')
          if (mayLackState && !(await hasFactory(endpoint, chain, later))) throw lackingState()
          return responses
        },
        signal,
      })
    }

  const callAt =
    (hash: Hex, signal: AbortSignal): CallContracts =>
    async (calls) => {
      const open = calls.filter((call) => !isSilent(call))
      const requests = open.map((call) => callRequest(call, hash))
      let rounds = 0
      const responses = await endpoints.call({
        async request(endpoint) {
          const first = await endpoint.call(requests)
          const isEmpty = first.includes('0x')
          const lacksState = isEmpty && !(await hasFactory(endpoint, chain, hash))
          if (lacksState) {
            rounds += 1
            // Before a factory is deployed there are no campaigns, and only contracts of others are called.
            const isFactoryThere = open.some(({ to }) => factories.has(to)) || (await knownContracts()).length > 0
            if (isFactoryThere || rounds < MAX_ROUNDS) throw lackingState()
          }
          // It may have got the state in between: what was empty before is requested again.
          const found = isEmpty && !lacksState ? await endpoint.call(requests) : first
          const failed = open.filter((_, index) => found[index] instanceof EndpointError)
          if (failed.length === 0) return found
          for (let times = 0; times < 2; times += 1) await ensureReading(endpoint, chain, hash, rounds + times)
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

  return { callAt, callEarly }
}

const lackingState = () => new EndpointError('unknown-block', 'has no state of a block')

/**
 * Whether an endpoint has one of the factories of a chain at a block.
 * @param number is asked of each: which one does not matter.
 * @throws EndpointError if it can read none of them.
 */
async function hasFactory(endpoint: Endpoint, chain: ChainIdentity, hash: Hex, number = 0) {
  const responses = await endpoint.call(factoryCalls(chain, number).map((call) => callRequest(call, hash)))
  const failures = responses.filter((response) => response instanceof EndpointError)
  if (failures[0] !== undefined && failures.length === responses.length) throw failures[0]
  return responses.some((response) => !(response instanceof EndpointError) && response !== '0x')
}

/** @throws EndpointError if the endpoint cannot read contracts at a block. @param count each time another, which no cache has. */
async function ensureReading(endpoint: Endpoint, chain: ChainIdentity, hash: Hex, count: number) {
  // Before a factory is deployed, there is nothing to read: an address without a contract has to do.
  if (!(await hasFactory(endpoint, chain, hash, count)))
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

import type { Hex } from 'viem'
import type { CallContracts, ContractCall } from '../protocol/contracts/contract-reader.ts'
import { zeroAddress } from '../protocol/fixed-incentives.ts'
import { EndpointError } from './endpoint-errors.ts'
import type { Endpoints } from './endpoints.ts'
import { readBytes } from './parse-responses.ts'
import type { RpcRequest } from './rpc-batching.ts'

/** So often a call may fail, while others at the same block are answered, before it is taken for one that reverts. */
const MAX_ROUNDS = 3

/** How long a call is not asked again that has failed so often. */
const SILENCE_MS = 600_000

/**
 * Asks contracts at a block. Whoever deploys a contract chooses what it does: a call may fail in words that no other client
 * uses, or take longer than a node lets it. It is told from an endpoint that fails by what the same endpoint answers
 * besides, asked for several times, and then counts as one that reverts.
 */
export function createContractCalls(endpoints: Endpoints) {
  const silentUntil = new Map<string, number>()
  const isSilent = ({ to, data }: ContractCall) => (silentUntil.get(to + data) ?? 0) > Date.now()

  return (hash: Hex, signal: AbortSignal): CallContracts =>
    async (calls) => {
      const open = calls.filter((call) => !isSilent(call))
      const requests = open.map((call) => callRequest(call, hash))
      let rounds = 0
      const responses = await endpoints.ask({
        async request(endpoint) {
          const found = await endpoint.ask(requests)
          const failed = open.filter((_, index) => found[index] instanceof EndpointError)
          if (failed.length === 0) return found
          for (let times = 0; times < 2; times += 1) await endpoint.ask([controlRequest(hash, rounds + times)])
          rounds += 1
          if (rounds < MAX_ROUNDS) throw new EndpointError('refused', 'does not respond to a call')
          // A node may fail each call of a batch that is too large for it: by itself, a call speaks for itself.
          const alone = await Promise.all(
            requests.map(async (request, index) => {
              const response = found[index]
              return response instanceof EndpointError ? (await endpoint.ask([request]))[0] : response
            }),
          )
          for (const [index, { to, data }] of open.entries()) {
            if (alone[index] instanceof EndpointError) silentUntil.set(to + data, Date.now() + SILENCE_MS)
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

/** Null of what reverts; an error of what fails otherwise, and by itself. */
const callRequest = (call: ContractCall, blockHash: Hex): RpcRequest<Hex | null | EndpointError> => ({
  call: { method: 'eth_call', params: [call, { blockHash }] },
  read: readBytes,
  readError(error) {
    if (error.refusal === 'reverted') return null
    if (error.refusal === 'other') return error
    throw error
  },
})

/** A call that every node answers that knows the block: there is no contract at such an address. Each is asked again. */
const controlRequest = (blockHash: Hex, count: number): RpcRequest<Hex | null> => ({
  call: { method: 'eth_call', params: [{ to: zeroAddress, data: `0x0${count}` }, { blockHash }] },
  read: readBytes,
  readError(error) {
    if (error.refusal !== 'reverted') throw error
    return null
  },
})

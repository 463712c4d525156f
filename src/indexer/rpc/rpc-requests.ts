import type { Hex } from 'viem'
import type { ContractCall } from '../protocol/contracts/contract-reader.ts'
import type { BatchSender, RpcOutcome } from './batch-sender.ts'
import { EndpointError, toEndpointError } from './endpoint-errors.ts'
import type { RpcCall, RpcResponse } from './json-rpc.ts'
import { type BlockHeader, readBytes, readHeader, toQuantity } from './parse-responses.ts'

/** A call, and how to read its result. */
export interface RpcRequest<Result> {
  call: RpcCall
  /** @throws EndpointError if the result is unusable. */
  read(response: unknown): Result
  /**
   * The meaning of a failure of this call while others succeed; without it, such a failure is one of the whole request.
   */
  readError?(error: EndpointError): Result
  /** Whether the endpoint would return the same a moment later; by default every result is final. */
  isFinal?(result: Result): boolean
}

/** Usable results by call: an endpoint that fails half-way need not start over. */
export type FinalResponses = Map<string, RpcResponse>

/** Sends calls to an endpoint in as many requests as it needs. */
export async function callAll<Result>(
  sender: BatchSender,
  requests: readonly RpcRequest<Result>[],
  known: FinalResponses,
  signal: AbortSignal,
): Promise<Result[]> {
  const results = new Map<RpcRequest<Result>, [Result]>()
  const open: { request: RpcRequest<Result>; key: string }[] = []
  for (const request of requests) {
    const key = JSON.stringify(request.call)
    const response = known.get(key)
    if (response === undefined) open.push({ request, key })
    else results.set(request, [readOutcome(request, response)])
  }
  const calls = open.map(({ request }) => request.call)
  await sender.sendAll(calls, signal, (start, outcomes) => {
    const failures: unknown[] = []
    for (const [index, outcome] of outcomes.entries()) {
      const pending = open[start + index]
      if (pending === undefined) throw new TypeError('a response matches no call')
      try {
        const result = readOutcome(pending.request, outcome)
        results.set(pending.request, [result])
        // A call that has failed may succeed another time.
        const isFailure = outcome instanceof EndpointError || result instanceof EndpointError
        if (!isFailure && pending.request.isFinal?.(result) !== false) known.set(pending.key, outcome)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  })
  return requests.flatMap((request) => results.get(request) ?? [])
}

function readOutcome<Result>({ read, readError }: RpcRequest<Result>, outcome: RpcOutcome): Result {
  if ('result' in outcome) return read(outcome.result)
  const error = outcome instanceof EndpointError ? outcome : toEndpointError(outcome.error)
  if (readError === undefined) throw error
  return readError(error)
}

/** Requests a block by its number, its tag or its hash. */
export const blockRequest = <Result>(
  block: string | number,
  readBlock: (block: BlockHeader | null) => Result,
): RpcRequest<Result> => ({
  call: {
    method: typeof block === 'string' && block.startsWith('0x') ? 'eth_getBlockByHash' : 'eth_getBlockByNumber',
    params: [typeof block === 'number' ? toQuantity(block) : block, false],
  },
  read: (response) => readBlock(readHeader(response)),
})

/** Calls a contract; null if the call reverts. */
export const contractCall = (call: ContractCall, block: 'latest' | { blockHash: Hex }): RpcRequest<Hex | null> => ({
  call: { method: 'eth_call', params: [call, block] },
  read: readBytes,
  readError(error) {
    if (error.rejection !== 'reverted') throw error
    return null
  },
})

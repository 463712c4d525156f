import { EndpointError, toEndpointError } from './endpoint-errors.ts'
import type { RpcCall, RpcResponse } from './json-rpc.ts'
import type { BatchSender, RpcOutcome } from './request-queue.ts'

/** A call, and what its answer means. */
export interface RpcRequest<Result> {
  call: RpcCall
  /** @throws EndpointError where the response is of no use. */
  read(response: unknown): Result
  /** What it means that this call fails while others are answered; where there is none, it is an error of the whole. */
  readError?(error: EndpointError): Result
}

/** Responses that were of use, by call: an endpoint that fails half-way does not have to begin again. */
export type FinalResponses = Map<string, RpcResponse>

/** Asks an endpoint questions in as many requests as it takes. */
export async function callAll<Result>(
  sender: BatchSender,
  requests: readonly RpcRequest<Result>[],
  kept: FinalResponses,
  signal: AbortSignal,
): Promise<Result[]> {
  const results = new Map<RpcRequest<Result>, [Result]>()
  const open: { request: RpcRequest<Result>; key: string }[] = []
  for (const request of requests) {
    const key = JSON.stringify(request.call)
    const response = kept.get(key)
    if (response === undefined) open.push({ request, key })
    else results.set(request, [readOutcome(request, response)])
  }
  const calls = open.map(({ request }) => request.call)
  await sender.sendAll(calls, signal, (start, outcomes) => {
    const failures: unknown[] = []
    for (const [index, outcome] of outcomes.entries()) {
      const asked = open[start + index]
      if (asked === undefined) throw new TypeError('a response matches no call')
      try {
        const result = readOutcome(asked.request, outcome)
        results.set(asked.request, [result])
        // What was not answered may be another time.
        if (!(outcome instanceof EndpointError || result instanceof EndpointError)) kept.set(asked.key, outcome)
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

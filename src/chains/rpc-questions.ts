import { EndpointError, toEndpointError } from './endpoint-errors.ts'
import type { RpcAnswer, RpcCall } from './json-rpc.ts'
import type { RpcOutcome, SendAll } from './rpc-batches.ts'

/** A call, and what its answer means. */
export interface Question<Result> {
  call: RpcCall
  /** @throws EndpointError where the answer is of no use. */
  read(answer: unknown): Result
  /** What it means that this call fails while others are answered; where there is none, it is an error of the whole. */
  readError?(error: EndpointError): Result
}

/** Answers that were of use, by call: an endpoint that fails half-way does not have to begin again. */
export type KeptAnswers = Map<string, RpcAnswer>

/** Asks an endpoint questions in as many requests as it takes. */
export function createAsking(sendAll: SendAll) {
  return async function ask<Result>(
    questions: readonly Question<Result>[],
    kept: KeptAnswers,
    signal: AbortSignal,
  ): Promise<Result[]> {
    const results = new Map<Question<Result>, [Result]>()
    const open: { question: Question<Result>; key: string }[] = []
    for (const question of questions) {
      const key = JSON.stringify(question.call)
      const answer = kept.get(key)
      if (answer === undefined) open.push({ question, key })
      else results.set(question, [readOutcome(question, answer)])
    }
    const calls = open.map(({ question }) => question.call)
    await sendAll(calls, signal, (start, outcomes) => {
      const failures: unknown[] = []
      for (const [index, { question, key }] of open.slice(start, start + outcomes.length).entries()) {
        const outcome = outcomes[index]
        if (outcome === undefined) throw new TypeError('a call has no answer')
        try {
          const result = readOutcome(question, outcome)
          results.set(question, [result])
          // What was not answered may be another time.
          if (!(outcome instanceof EndpointError || result instanceof EndpointError)) kept.set(key, outcome)
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    })
    return questions.flatMap((question) => results.get(question) ?? [])
  }
}

function readOutcome<Result>({ read, readError }: Question<Result>, outcome: RpcOutcome): Result {
  if ('result' in outcome) return read(outcome.result)
  const error = outcome instanceof EndpointError ? outcome : toEndpointError(outcome.error)
  if (readError === undefined) throw error
  return readError(error)
}

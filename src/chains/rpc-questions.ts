import { EndpointError, toEndpointError } from './endpoint-errors.ts'
import type { RpcAnswer, RpcCall, SendCalls } from './json-rpc.ts'

/** A call, and what its answer means. */
export interface Question<Result> {
  call: RpcCall
  /** @throws EndpointError where the answer is of no use. */
  read(answer: unknown): Result
  /** What an error of JSON-RPC means; where there is none, it is one of the whole. */
  readError?(error: EndpointError): Result
}

/** Answers that were of use, by call: an endpoint that fails half-way does not have to begin again. */
export type KeptAnswers = Map<string, RpcAnswer>

/**
 * Asks an endpoint questions in as many requests as it takes. Requests become smaller where their size, or batches at
 * all, are refused.
 */
export function createAsking(send: SendCalls, mostCalls: number) {
  let size = mostCalls

  async function* sendInParts(calls: readonly RpcCall[], signal: AbortSignal) {
    for (let start = 0, most = size; start < calls.length; ) {
      const part = calls.slice(start, start + most)
      try {
        const answers = await send(part, signal)
        yield { start, answers }
        start += part.length
      } catch (error) {
        if (!(error instanceof EndpointError) || error.refusal === undefined || part.length === 1) throw error
        most = Math.ceil(part.length / 2)
        // An answer that is too long says nothing about others.
        if (error.refusal === 'batch') size = most
      }
    }
  }

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
      else results.set(question, [readAnswer(question, answer)])
    }
    const calls = open.map(({ question }) => question.call)
    for await (const { start, answers } of sendInParts(calls, signal)) {
      const failures: unknown[] = []
      for (const [index, { question, key }] of open.slice(start, start + answers.length).entries()) {
        const answer = answers[index]
        if (answer === undefined) throw new TypeError('a call has no answer')
        try {
          results.set(question, [readAnswer(question, answer)])
          kept.set(key, answer)
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    }
    return questions.flatMap((question) => results.get(question) ?? [])
  }
}

function readAnswer<Result>({ read, readError }: Question<Result>, answer: RpcAnswer): Result {
  if (!('error' in answer)) return read(answer.result)
  const error = toEndpointError(answer.error)
  if (readError === undefined) throw error
  return readError(error)
}

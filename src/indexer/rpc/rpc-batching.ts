import { EndpointError, toEndpointError } from './endpoint-errors.ts'
import type { RpcAnswer, RpcCall } from './json-rpc.ts'
import type { BatchSender, RpcOutcome } from './request-queue.ts'

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
export async function askAll<Result>(
  sender: BatchSender,
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
  await sender.sendAll(calls, signal, (start, outcomes) => {
    const failures: unknown[] = []
    for (const [index, outcome] of outcomes.entries()) {
      const asked = open[start + index]
      if (asked === undefined) throw new TypeError('a response matches no call')
      try {
        const result = readOutcome(asked.question, outcome)
        results.set(asked.question, [result])
        // What was not answered may be another time.
        if (!(outcome instanceof EndpointError || result instanceof EndpointError)) kept.set(asked.key, outcome)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  })
  return questions.flatMap((question) => results.get(question) ?? [])
}

function readOutcome<Result>({ read, readError }: Question<Result>, outcome: RpcOutcome): Result {
  if ('result' in outcome) return read(outcome.result)
  const error = outcome instanceof EndpointError ? outcome : toEndpointError(outcome.error)
  if (readError === undefined) throw error
  return readError(error)
}

import { setTimeout as sleep } from 'node:timers/promises'

/** An answer, read to its end. */
export interface Answer {
  /** Path and query that were asked for. */
  path: string
  status: number
  headers: Headers
  text: string
}

interface Question {
  method?: string
  headers?: Record<string, string>
}

/** Who asks has asked enough, or for too long; nothing is known then. */
export class EndOfVisitError extends Error {
  override readonly name = 'EndOfVisitError'
}

/** The connection failed, or brought no whole answer. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

export interface Visitor {
  /** Answers in whatever state; one that says when to come back is asked again then. @throws EndOfVisitError, NoAnswerError */
  ask: (path: string, question?: Question) => Promise<Answer>
  /** All that has been answered, in the order of the answers. */
  answers: readonly Answer[]
}

export interface VisitBounds {
  mostRequests: number
  mostAtOnce: number
  /** Of the whole visit. */
  timeoutMs: number
}

/** So often a question is repeated where the service asks for it. */
const MOST_REPETITIONS = 3

/** Asks a deployment below a base URL, which may have a path of its own, as considerately as a guest does. */
export function createVisitor(baseUrl: string, { mostRequests, mostAtOnce, timeoutMs }: VisitBounds): Visitor {
  const base = baseUrl.replace(/\/+$/, '')
  const deadline = Date.now() + timeoutMs
  const answers: Answer[] = []
  const waiting: (() => void)[] = []
  let under = 0
  let asked = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (under >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else under += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) under -= 1
      else next()
    }
  }

  async function askOnce(path: string, { method = 'GET', headers = {} }: Question): Promise<Answer> {
    if (asked >= mostRequests) throw new EndOfVisitError(`${mostRequests} requests were sent`)
    const left = deadline - Date.now()
    if (left <= 0) throw new EndOfVisitError(`${timeoutMs / 1000} seconds have passed`)
    asked += 1
    try {
      const signal = AbortSignal.timeout(left)
      const response = await fetch(base + path, { method, headers, redirect: 'manual', signal })
      return { path, status: response.status, headers: response.headers, text: await response.text() }
    } catch (error) {
      if (Date.now() >= deadline) throw new EndOfVisitError(`${timeoutMs / 1000} seconds have passed`)
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      throw new NoAnswerError(
        `${path.slice(0, 80)} does not respond: ${cause instanceof Error ? cause.message : cause}`,
      )
    }
  }

  return {
    answers,
    ask: (path, question = {}) =>
      inTurn(async () => {
        for (let repetitions = 0; ; repetitions += 1) {
          const answer = await askOnce(path, question)
          const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
          const isPutOff = (answer.status === 429 || answer.status === 503) && seconds >= 0
          if (!isPutOff || repetitions >= MOST_REPETITIONS || Date.now() + seconds * 1000 >= deadline) {
            answers.push(answer)
            return answer
          }
          await sleep(seconds * 1000)
        }
      }),
  }
}

import type { Job, LoadFigures } from '../processes/load-generator.ts'
import { medianOf } from './measure.ts'
import type { Contestant, PartContext } from './part.ts'
import { createServerTimer, processMs } from './processor-time.ts'

export const CONNECTIONS = 50

/** What a contestant did in one round; processor time in microseconds a request. */
export interface Round extends LoadFigures {
  nodeMicroseconds: number
  serverMicroseconds: number
}

/** Puts load on a contestant and measures the processor time of its process and of PostgreSQL. */
export async function measureRound(context: PartContext, { process }: Contestant, job: Job): Promise<Round> {
  const serverMs = createServerTimer(context.facts.folder)
  const before = { node: processMs(process.pid), server: serverMs() }
  const figures = await context.load(job)
  const perRequest = (ms: number) => (ms * 1000) / Math.max(figures.responses, 1)
  return {
    ...figures,
    nodeMicroseconds: perRequest(processMs(process.pid) - before.node),
    serverMicroseconds: perRequest(serverMs() - before.server),
  }
}

/** Alternates between contestants in every round, so that a busy machine affects all of them. */
export async function measureInTurns(
  context: PartContext,
  entries: { contestant: Contestant; lanes: Job['lanes'] }[],
  { rounds, seconds, warmUpSeconds = 2 }: { rounds: number; seconds: number; warmUpSeconds?: number },
) {
  const results = entries.map(({ contestant }) => ({ contestant, rounds: [] as Round[] }))
  for (const { contestant, lanes } of entries)
    await context.load({ url: contestant.url, lanes, seconds: warmUpSeconds })
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { contestant, lanes }] of entries.entries()) {
      context.signal.throwIfAborted()
      const figures = await measureRound(context, contestant, { url: contestant.url, lanes, seconds })
      if (figures.failures > 0) throw new Error(`${figures.failures} requests to ${contestant.name} failed`)
      results[index]?.rounds.push(figures)
      context.log(`round ${round + 1} of ${rounds}: ${describeRounds(contestant.name, [figures])}`)
    }
  }
  return results
}

/** The median of the rounds' ratios of requests a second. */
export const rateAgainst = (rounds: Round[], others: Round[]) =>
  medianOf(rounds.map(({ rate }, index) => rate / (others[index]?.rate ?? Number.NaN)))

/** The same of processor time, which neighbours disturb less. */
export const processorAgainst = (rounds: Round[], others: Round[]) => {
  const time = (of: Round[]) => medianOf(of.map((round) => round.nodeMicroseconds + round.serverMicroseconds))
  return time(others) / time(rounds)
}

export function describeRounds(name: string, rounds: Round[]) {
  const of = (figure: keyof Round) => medianOf(rounds.map((round) => round[figure]))
  const whole = (number: number) => Math.round(number).toLocaleString('en-US')
  return `${name} ${whole(of('rate'))} requests/s, p99 ${of('p99').toFixed(1)} ms, CPU ${whole(of('nodeMicroseconds'))} + ${whole(of('serverMicroseconds'))} µs (Node + PostgreSQL)`
}

/** Distributes queries among connections, each query to one connection. */
export const deal = <Query>(queries: Query[]) =>
  Array.from({ length: CONNECTIONS }, (_, lane) => queries.filter((_, index) => index % CONNECTIONS === lane))

/** All queries for each connection, each starting at a different one. */
export const rotate = <Query>(queries: Query[]) =>
  Array.from({ length: CONNECTIONS }, (_, lane) => {
    const start = Math.floor((lane * queries.length) / CONNECTIONS)
    return [...queries.slice(start), ...queries.slice(0, start)]
  })

/*
 * Sends the next request as soon as a response has come, on many connections. It is a process of its own and competes for
 * the processors with the server, equally for all contestants.
 */
import autocannon from 'autocannon'
import { percentile } from '../measuring/measure.ts'

export interface Query {
  path: string
  /** Sent with `POST` as JSON; without it, the method is `GET`. */
  body?: string
}

export interface Job {
  url: string
  /** For each connection, the requests that it repeats. */
  lanes: Query[][]
  /** Absent: until each has been asked once. Then all lanes are of one length. */
  seconds?: number
}

export interface LoadFigures {
  /** Successful responses a second. */
  rate: number
  responses: number
  /** Milliseconds, of successful responses. */
  p50: number
  p99: number
  p999: number
  worst: number
  /** Requests that were refused, failed or were not answered in time. */
  failures: number
}

process.on('message', (job: Job) => {
  void load(job).then((figures) => process.send?.(figures))
})
process.once('disconnect', () => process.exit())

async function load({ url, lanes, seconds }: Job): Promise<LoadFigures> {
  const requestsOf = lanes.map((lane) =>
    lane.map(({ path, body }) =>
      body === undefined
        ? { method: 'GET' as const, path }
        : { method: 'POST' as const, path, body, headers: { 'content-type': 'application/json' } },
    ),
  )
  let connection = 0
  const times: number[] = []
  const options = {
    url,
    connections: lanes.length,
    ...(seconds === undefined ? { amount: lanes.flat().length } : { duration: seconds }),
    requests: requestsOf[0] ?? [],
    setupClient: (client: autocannon.Client) => {
      client.setRequests(requestsOf[connection % requestsOf.length] ?? [])
      connection += 1
    },
  }
  const { duration, errors, non2xx } = await new Promise<autocannon.Result>((resolve, reject) => {
    const running = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)))
    running.on('response', (_client, status, _bytes, responseTime) => {
      if (status < 300) times.push(responseTime)
    })
  })
  times.sort((one, other) => one - other)
  return {
    rate: times.length / duration,
    responses: times.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    p999: percentile(times, 0.999),
    worst: percentile(times, 1),
    failures: errors + non2xx,
  }
}

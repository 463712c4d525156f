import { randomUUID } from 'node:crypto'
import { Agent, get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type RunningProcess, waitFor } from './processes.ts'

/** Connections among which each of a few workers has got one. */
const MOST_CONNECTIONS = 64

/** What comes of a request: a status, or what went wrong. */
export interface Outcome {
  status: number | string
  headers: IncomingMessage['headers']
  body: string
}

/** A connection that is kept, and so stays with the worker that has taken it. */
export class WorkerConnection implements Disposable {
  readonly #url: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(url: string) {
    this.#url = url
  }

  async ask(path: string, headers: Record<string, string> = {}): Promise<Outcome> {
    try {
      const request = get(this.#url + path, { agent: this.#agent, headers })
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request.once('response', resolve).once('error', reject)
      })
      return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) }
    } catch (error) {
      return { status: String(error), headers: {}, body: '' }
    }
  }

  /** The process at the other end, as the log tells it. */
  async pid(service: RunningProcess): Promise<number> {
    const id = randomUUID()
    await this.ask('/limits', { 'x-request-id': id })
    return waitFor(() => loggedRequests(service).find(({ reqId }) => reqId === id)?.pid)
  }

  [Symbol.dispose]() {
    this.#agent.destroy()
  }
}

interface LoggedRequest {
  pid: number
  reqId: string
}

/** Every line of the log is an entry of JSON, whichever process has written it; what npm says before is no line of it. */
export const loggedLines = ({ stdout }: RunningProcess) =>
  stdout
    .slice(0, stdout.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('> '))
    .map((line): Partial<LoggedRequest> & { msg: string } => JSON.parse(line))

const loggedRequests = (service: RunningProcess) =>
  loggedLines(service).filter((line): line is LoggedRequest & { msg: string } => line.reqId !== undefined)

/** A connection to each of so many workers, by their process IDs. */
export async function connectToEach(service: RunningProcess, url: string, count: number) {
  const connections = new Map<number, WorkerConnection>()
  for (let tried = 0; connections.size < count; tried += 1) {
    if (tried === MOST_CONNECTIONS) throw new Error(`${tried} connections have not met ${count} workers`)
    const connection = new WorkerConnection(url)
    const pid = await connection.pid(service)
    if (connections.has(pid)) connection[Symbol.dispose]()
    else connections.set(pid, connection)
  }
  return {
    pids: [...connections.keys()],
    all: [...connections.values()],
    [Symbol.dispose]() {
      for (const connection of connections.values()) connection[Symbol.dispose]()
    },
  }
}

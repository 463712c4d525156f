import { type CountClient, createClientCounts, type Rate } from '../http/rate-limits.ts'
import type { CountedClient, FromWorker } from './worker-messages.ts'

/** How long the one that supervises may take to count; it may hang, and no request waits for it without end. */
const PATIENCE_MS = 1000

interface Waiting {
  client: CountedClient
  resolve: (rate: Rate) => void
}

/**
 * Has clients counted where those of all workers are, so that a limit is one limit, however many workers a client has got
 * to. All that are to be counted in one turn of the event loop are told together. Without the process that supervises, a
 * worker is about to end, and counts for itself; so it does where that one does not answer.
 */
export function createSharedCounts(say: (message: FromWorker) => void) {
  const countAlone = createClientCounts(() => new Date())
  const asked = new Map<number, Waiting[]>()
  let gathered: Waiting[] = []
  let lastId = 0

  function ask() {
    lastId += 1
    const id = lastId
    asked.set(id, gathered)
    // A worker that was busy may have the answer at hand.
    setTimeout(() => setImmediate(() => note(id, [])), PATIENCE_MS).unref()
    say({ kind: 'clients', id, clients: gathered.map(({ client }) => client) })
    gathered = []
    if (!process.connected) leave()
  }

  function note(id: number, rates: Rate[]) {
    const waiting = asked.get(id) ?? []
    asked.delete(id)
    for (const [place, { client, resolve }] of waiting.entries()) resolve(rates[place] ?? countAlone(...client))
  }

  /** Nobody answers any more. */
  function leave() {
    for (const id of [...asked.keys()]) note(id, [])
  }

  const countClient: CountClient = (...client) =>
    new Promise((resolve) => {
      if (gathered.length === 0) setImmediate(ask)
      gathered.push({ client, resolve })
    })

  return { countClient, note, leave }
}

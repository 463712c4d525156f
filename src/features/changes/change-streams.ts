import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Change } from '../../schemas/changes.ts'
import type { ChangeFeed } from './change-feed.ts'

/** How soon a client is to come again after an end that we made. */
const RETRY_MS = 1000

/** A client that reads slower than this is not waited for: a few events. */
const BUFFER_BYTES = 16 * 1024

/** Whether a request asks for server-sent events. */
export const wantsEvents = ({ headers }: FastifyRequest) =>
  (headers.accept ?? '')
    .split(',')
    .map((range) => range.trim().toLowerCase())
    .some((range) => range.startsWith('text/event-stream') && !/;\s*q=0(\.0*)?$/.test(range))

/** Sends the changes after a cursor that pass, until the client goes or the feed ends. */
export function sendEvents(
  reply: FastifyReply,
  feed: ChangeFeed,
  {
    after,
    passes,
    signal,
    onSlow,
  }: {
    after: string
    passes: (change: Change) => boolean
    signal: AbortSignal
    onSlow: () => void
  },
) {
  async function* toEvents() {
    // Proxies and clients hear at once that it has begun.
    yield `retry: ${RETRY_MS}\n\n`
    for await (const entries of feed.follow(after, { signal, onSlow })) {
      const events = entries.filter(({ change }) => passes(change)).map(({ event }) => event)
      if (entries.length === 0) yield ': \n\n'
      else if (events.length > 0) yield events.join('')
    }
    yield `retry: ${RETRY_MS}\n\n`
  }
  void reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
  return reply.send(Readable.from(toEvents(), { objectMode: false, highWaterMark: BUFFER_BYTES }))
}

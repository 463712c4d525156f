import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { addVary } from 'reward-campaigns-strict-http/content/negotiation'
import { InvalidParameterError } from 'reward-campaigns-strict-http/request/errors/errors'
import { clientNetworkOf } from 'reward-campaigns-strict-http/security/client-addresses'
import { withDeadline } from '../../abort-signals.ts'
import { toPageLinks } from '../../http/page-links.ts'
import { exporting } from '../../http/response-headers.ts'
import { uncachedResponsesOf } from '../../http/responses.ts'
import { HistoryLostError } from '../../http/service-errors.ts'
import { type ChangePage, type ChangeReader, MalformedCursorError } from '../../read-models/changes/read.ts'
import { type ChangeFilter, createFilter } from './change-buffer.ts'
import example from './change-example.json' with { type: 'json' }
import type { ChangeFeed } from './change-feed.ts'
import { ListChangesQuery, ListChangesResponse, MAX_PAGE } from './change-schemas.ts'
import { ChangeStream, wantsEvents } from './change-streams.ts'

const responses = uncachedResponsesOf(
  {
    description: 'The changes after the cursor.',
    headers: { link: exporting.link },
    schema: ListChangesResponse,
    example,
    otherExamples: { now: ['/changes', { changes: [], nextCursor: example.nextCursor, hasMore: false }] },
  },
  { 400: 'after must be a cursor of changes, got "abc"', 410: new HistoryLostError().message },
)

const listChanges = {
  operationId: 'listChanges',
  summary: 'Follow changes, polled or as a stream',
  description:
    'What has changed, in the order of commits, each change once: by polling, by waiting (`wait`), or with `Accept: text/event-stream` as server-sent events: `id` is the cursor, `event` the kind, `data` the change; `Last-Event-ID` resumes. After a change, every response of this server shows it.',
  tags: ['Status'],
  querystring: ListChangesQuery,
  response: {
    ...responses,
    200: {
      ...responses[200],
      content: {
        ...responses[200].content,
        'text/event-stream': {
          schema: Type.String({
            maxLength: 2 ** 31,
            description: 'Server-sent events; the `data` of each is a `Change`.',
          }),
        },
      },
    },
  },
}

interface ChangeRoutes {
  changes: ChangeReader
  feed: ChangeFeed
  /** Ends when the client of a request has gone. */
  signalOf: (request: FastifyRequest) => AbortSignal | undefined
  /** From now on the response takes as long as it takes, and is none of those that are made. */
  startStream: (request: FastifyRequest) => void
  /** Called for a client that was cut off. */
  onCutOff: () => void
}

/**
 * @param parameter what brought the cursor.
 * @throws HistoryLostError, and InvalidParameterError where the cursor is none.
 */
async function orRefused<Page>(reading: Promise<Page | undefined>, parameter = 'after'): Promise<Page> {
  try {
    const page = await reading
    if (page === undefined) throw new HistoryLostError()
    return page
  } catch (error) {
    if (!(error instanceof MalformedCursorError)) throw error
    throw new InvalidParameterError(parameter, `${parameter} must be a cursor of changes`)
  }
}

function toResponse({ changes, next, hasMore }: ChangePage, { passes }: ChangeFilter, { pageSize }: ListChangesQuery) {
  const passing = changes.filter(passes)
  const shown = passing.slice(0, pageSize)
  const isCut = passing.length > shown.length
  return { changes: shown, nextCursor: (isCut && shown.at(-1)?.cursor) || next, hasMore: isCut || hasMore }
}

export const changeRoutes: FastifyPluginAsyncTypebox<ChangeRoutes> = async (app, options) => {
  const { changes, feed, signalOf, startStream, onCutOff } = options
  app.addHook('preClose', async () => feed.close())

  async function list(request: FastifyRequest, query: ListChangesQuery): Promise<ListChangesResponse> {
    const { after, wait } = query
    const filter = createFilter(query)
    const mayWait = wait > 0 && request.method !== 'HEAD'
    const max = filter.passesAll ? query.pageSize : MAX_PAGE
    const buffered = after !== undefined && mayWait ? feed.buffer.after(after) : undefined
    const known = buffered?.page.changes.some(filter.passes) ? undefined : buffered
    const readPage = async () => (after === undefined ? (await feed.now()).page : orRefused(changes.read(after, max)))
    const first = toResponse(known?.page ?? (await readPage()), filter, query)
    if (first.changes.length > 0 || !mayWait) return first
    const cursor = await waitAfter(first.nextCursor, request, wait, filter)
    return toResponse((await orRefused(feed.read(cursor, max))).page, filter, query)
  }

  /** Waits for a change that passes, or until the time is over: the cursor up to which none does. */
  async function waitAfter(start: string, request: FastifyRequest, seconds: number, { passes }: ChangeFilter) {
    const leave = feed.join(clientNetworkOf(request))
    try {
      startStream(request)
      return await withDeadline(seconds * 1000, signalOf(request), async (signal) => {
        let cursor = start
        while (!signal.aborted && !feed.isClosed) {
          const { page } = await orRefused(feed.after(cursor))
          if (page.changes.some(passes)) break
          if (page.next === cursor) await feed.news(signal)
          cursor = page.next
        }
        return cursor
      })
    } finally {
      leave()
    }
  }

  app.get('/changes', { schema: listChanges }, async (request, reply) => {
    addVary(reply, 'accept')
    void reply.header('cache-control', 'no-store')
    const { query } = request
    if (!wantsEvents(request)) {
      const page = await list(request, query)
      const link = toPageLinks(request, { nextCursor: page.hasMore ? page.nextCursor : null })
      if (link !== undefined) void reply.header('link', link)
      return page
    }
    const onClose = feed.join(clientNetworkOf(request))
    try {
      startStream(request)
      const lastEventId = String(request.headers['last-event-id'] ?? '')
      const after = lastEventId || query.after
      const reading = after === undefined ? feed.now() : feed.after(after)
      const start = await orRefused(reading, lastEventId === '' ? 'after' : 'Last-Event-ID')
      void reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
      const onSlow = () => {
        onCutOff()
        request.raw.socket.resetAndDestroy()
      }
      const stream = new ChangeStream({ feed, filter: createFilter(query), start, onSlow, onClose })
      if (request.method !== 'HEAD') return reply.send(stream)
      stream.destroy()
      return reply.send('')
    } catch (error) {
      onClose()
      throw error
    }
  })
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { HistoryLostError, InvalidParameterError, TooManyStreamsError } from '../../http/request/errors/errors.ts'
import { uncachedResponsesOf } from '../../http/request/responses.ts'
import { addVary } from '../../http/request/vary.ts'
import { type ChangePage, type ChangeReader, MalformedCursorError } from '../../read-models/changes/read.ts'
import type { Change } from '../../schemas/changes.ts'
import type { ChangeFeed } from './change-feed.ts'
import { ListChangesQuery, ListChangesResponse, MAX_PAGE } from './change-schemas.ts'
import { sendEvents, wantsEvents } from './change-streams.ts'

const example: ListChangesResponse = {
  changes: [
    {
      cursor: 'AAAAAAAABNIAAAABKgXyAZ8vD6EHRk0SnqdLlfg2vHI',
      kind: 'price.changed',
      at: '2026-01-31T12:00:00.000Z',
      chainId: 8453,
      token: '8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      priceUsd: '0.9998',
    },
  ],
  nextCursor: 'AAAAAAAABNIAAAABKgXyAZ8vD6EHRk0SnqdLlfg2vHI',
  hasMore: false,
}

const responses = uncachedResponsesOf(
  { description: 'The changes after the cursor.', schema: ListChangesResponse, example },
  { 400: 'after must be a cursor of changes, got "abc"', 410: new HistoryLostError().message },
)

const listChanges = {
  operationId: 'listChanges',
  summary: 'Follow changes',
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
  maxStreams: number
  /** Ends when the client of a request has gone. */
  signalOf: (request: FastifyRequest) => AbortSignal | undefined
  /** From now on the response takes as long as it takes, and no place of those that are made. */
  awaitChanges: (request: FastifyRequest) => void
  /** Told of a client that was cut off. */
  onCutOff: () => void
}

/** Whether a change is asked for. */
const createFilter =
  ({ kind, campaignId, chainId }: ListChangesQuery) =>
  (change: Change) =>
    change.kind === 'reset' ||
    ((kind?.includes(change.kind) ?? true) &&
      (campaignId === undefined || (change.campaignId ?? change.claim?.campaignId) === campaignId) &&
      (chainId?.includes(change.chainId) ?? true))

export const changeRoutes: FastifyPluginAsyncTypebox<ChangeRoutes> = async (app, options) => {
  const { changes, feed, maxStreams, signalOf, awaitChanges, onCutOff } = options
  app.addHook('preClose', async () => feed.close())

  /** @throws HistoryLostError, and InvalidParameterError where the cursor is none. */
  async function read(after: string | undefined, max: number): Promise<ChangePage> {
    try {
      const page = await changes.read(after, max)
      if (page === undefined) throw new HistoryLostError()
      return page
    } catch (error) {
      if (!(error instanceof MalformedCursorError)) throw error
      throw new InvalidParameterError('after', `after must be a cursor of changes: ${error.message}`)
    }
  }

  function requirePlace() {
    if (feed.size >= maxStreams) throw new TooManyStreamsError()
  }

  /** The first changes to come that pass; none where the time is over. */
  async function waitFor(
    after: string,
    query: ListChangesQuery,
    passes: (change: Change) => boolean,
    gone: AbortSignal,
  ) {
    const signal = AbortSignal.any([gone, AbortSignal.timeout(query.wait * 1000)])
    let nextCursor = after
    for await (const entries of feed.follow(nextCursor, { signal, onSlow: () => undefined })) {
      const passing = entries.map(({ change }) => change).filter(passes)
      const page = passing.slice(0, query.pageSize)
      nextCursor =
        (passing.length > page.length ? page : entries.map(({ change }) => change)).at(-1)?.cursor ?? nextCursor
      if (page.length > 0) return { changes: page, nextCursor, hasMore: passing.length > page.length }
    }
    return { changes: [], nextCursor, hasMore: false }
  }

  async function list(request: FastifyRequest, query: ListChangesQuery): Promise<ListChangesResponse> {
    const passes = createFilter(query)
    const isFiltered = [query.kind, query.campaignId, query.chainId].some((filter) => filter !== undefined)
    const page = await read(query.after, isFiltered ? MAX_PAGE : query.pageSize)
    const passing = page.changes.filter(passes)
    const shown = passing.slice(0, query.pageSize)
    const isCut = passing.length > shown.length
    const nextCursor = (isCut ? shown.at(-1)?.cursor : undefined) ?? page.next
    const isWorthWaiting = shown.length === 0 && query.wait > 0 && request.method !== 'HEAD'
    if (!isWorthWaiting) return { changes: shown, nextCursor, hasMore: isCut || page.hasMore }
    requirePlace()
    awaitChanges(request)
    return waitFor(nextCursor, query, passes, signalOf(request) ?? new AbortController().signal)
  }

  app.get('/changes', { schema: listChanges }, async (request, reply) => {
    addVary(reply, 'accept')
    void reply.header('cache-control', 'no-store')
    const { query } = request
    if (!wantsEvents(request)) return list(request, query)
    requirePlace()
    const lastEventId = request.headers['last-event-id']
    const asked = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : query.after
    const { next } = await read(asked, 1)
    const after = asked ?? next
    if (request.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send('')
    awaitChanges(request)
    return sendEvents(reply, feed, {
      ...{ after, passes: createFilter(query), signal: signalOf(request) ?? new AbortController().signal },
      onSlow() {
        onCutOff()
        request.raw.socket.resetAndDestroy()
      },
    })
  })
}

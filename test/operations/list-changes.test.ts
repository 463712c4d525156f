import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ChangeBuffer, ChangeSlice, createFilter } from '../../src/features/changes/change-buffer.ts'
import { ChangeFeed } from '../../src/features/changes/change-feed.ts'
import type { ListChangesResponse } from '../../src/features/changes/change-schemas.ts'
import { ChangeStream } from '../../src/features/changes/change-streams.ts'
import { type ChangeReader, createChangeReader } from '../../src/read-models/changes/read.ts'
import { toCheckedText } from '../../src/schemas/cursor-checks.ts'
import { collectGarbage } from '../setup/collect-garbage.ts'
import { aCampaign, aClaim, anActionTemplate, anErc20Incentive, aToken } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { waitFor } from '../setup/wait-for.ts'

let api: TestApp
let base: string

beforeAll(async () => {
  api = await startTestApp({ MAX_STREAMS: '30' })
  base = await api.app.listen({ port: 0, host: '127.0.0.1' })
})

afterAll(() => api[Symbol.asyncDispose]())

const list = async (query: string): Promise<ListChangesResponse> => (await api.get(`/changes${query}`)).json()
const now = async () => (await list('')).nextCursor
const kindsOf = ({ changes }: ListChangesResponse) => changes.map(({ kind }) => kind)

const until = (isSo: () => boolean | Promise<boolean>) => waitFor(async () => (await isSo()) || undefined)

/** The lines of a stream as they come. */
function openStream(query: string, headers: Record<string, string> = {}, server = base) {
  const abort = new AbortController()
  const lines: string[] = []
  const ended = (async () => {
    const response = await fetch(`${server}/changes${query}`, {
      headers: { accept: 'text/event-stream', ...headers },
      signal: abort.signal,
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    let rest = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = `${rest}${chunk}`.split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
    }
  })()
  ended.catch(() => undefined)
  const fieldsOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2))
  const kinds = () => fieldsOf('event')
  const cursors = () => fieldsOf('data').map((data) => JSON.parse(data).cursor)
  /** Also of events without data. */
  const ids = () => fieldsOf('id')
  return { lines, kinds, cursors, ids, ended, [Symbol.dispose]: () => abort.abort() }
}

test('changes come in order, page by page, filtered; without a cursor from now on', async () => {
  const after = await now()
  expect(await list('')).toEqual({ changes: [], nextCursor: after, hasMore: false })
  const token = aToken({ priceUsd: '1' })
  const other = aToken({ chainId: 10 })
  const campaign = aCampaign({ incentives: [anErc20Incentive(token.address)] })
  await api.save(token, other, campaign, aClaim(campaign))
  const all = await list(`?after=${after}`)
  const kinds = ['token.changed', 'token.changed', 'price.changed', 'campaign.added', 'claim.added']
  expect(kindsOf(all)).toEqual(kinds)
  expect(all).toMatchObject({ nextCursor: all.changes[4]?.cursor, hasMore: false })
  const first = await list(`?after=${after}&pageSize=2`)
  expect(first).toEqual({ changes: all.changes.slice(0, 2), nextCursor: all.changes[1]?.cursor, hasMore: true })
  expect(kindsOf(await list(`?after=${first.nextCursor}&pageSize=1000`))).toEqual(kinds.slice(2))
  expect(kindsOf(await list(`?after=${after}&kind=claim.added,price.changed`))).toEqual([
    'price.changed',
    'claim.added',
  ])
  expect(kindsOf(await list(`?after=${after}&campaignId=${aCampaign().id},${campaign.id}`))).toEqual([
    'campaign.added',
    'claim.added',
  ])
  const onTen = await list(`?after=${after}&chainId=10`)
  expect(onTen).toEqual({
    changes: [expect.objectContaining({ chainId: 10 })],
    nextCursor: all.nextCursor,
    hasMore: false,
  })
  const { claims } = (await api.get('/claims')).json()
  // Without the token, which changes without the claim.
  const { metadata: _, ...listed } = claims[0]
  expect(all.changes[4]?.claim).toEqual(listed)
})

test('a page with more after it leads to the next one, with its filters', async () => {
  const after = await now()
  await api.save(aToken(), aToken({ chainId: 10 }), aToken())
  const url = (cursor: string) => `?chainId=8453&after=${cursor}&pageSize=1`
  const first = await api.get(`/changes${url(after)}`)
  const { nextCursor } = first.json()
  expect(first.headers.link).toBe(`<${url(nextCursor)}>; rel="next"`)
  const last = await api.get(`/changes${url(nextCursor)}`)
  expect(last.json()).toMatchObject({ changes: [expect.anything()], hasMore: false })
  expect(last.headers).not.toHaveProperty('link')
})

test('records that are not shown take no place in a page', async () => {
  const after = await now()
  const hidden = anActionTemplate
  await api.save(hidden())
  await api.save(aToken(), hidden())
  await api.save(hidden())
  await api.save(aToken(), hidden())
  const first = await list(`?after=${after}&pageSize=1`)
  expect([kindsOf(first), first.hasMore]).toEqual([['token.changed'], true])
  const second = await list(`?after=${first.nextCursor}&pageSize=1`)
  expect([kindsOf(second), second.hasMore]).toEqual([['token.changed'], false])
  // It comes to the newest, shown or not, and so stays as young as that.
  expect(second.nextCursor).toBe(await now())
  expect(await list(`?after=${second.nextCursor}`)).toEqual({ ...second, changes: [] })
})

test('what is wrong with a cursor, and that a history is lost, is said', async () => {
  // Of another database, which has seen more commits.
  const ahead = Buffer.alloc(32, 1)
  ahead.writeBigInt64BE(1_000_000n, 0)
  ahead.writeBigInt64BE(1n, 8)
  const answers = await Promise.all([
    api.get('/changes?after=abc'),
    api.get(`/changes?after=${toCheckedText(Buffer.alloc(32))}`),
    api.get(`/changes?after=${toCheckedText(ahead)}&wait=25`),
    api.get('/changes?wait=26&kind=claim.add'),
    api.get('/changes', { accept: 'text/event-stream', 'last-event-id': 'abc' }),
  ])
  expect(answers.map((response) => [response.statusCode, response.json().error])).toEqual([
    [400, 'after must be a cursor of changes, got "abc"'],
    [410, expect.stringContaining('export the data anew')],
    [410, expect.stringContaining('export the data anew')],
    [400, expect.stringMatching(/kind.*claim\.added.*wait/)],
    [400, 'Last-Event-ID must be a cursor of changes'],
  ])
  // One that was changed on its way is none: nobody has to export anew for it.
  const cursor = await now()
  for (const mangled of [
    `B${cursor.slice(1)}`,
    cursor.slice(0, -1),
    `${cursor.slice(0, 20)}b${cursor.slice(21)}`,
    `${cursor}A`,
  ]) {
    if (mangled === cursor) continue
    expect((await api.get(`/changes?after=${mangled}`)).statusCode, mangled).toBe(400)
  }
  const head = await api.app.inject({ method: 'HEAD', url: '/changes?wait=25' })
  expect([head.statusCode, head.headers['cache-control'], head.body]).toEqual([200, 'no-store', ''])
})

test('an empty response waits for what passes its filters, and no longer than it was told', async () => {
  const after = await now()
  const waiting = list(`?after=${after}&kind=campaign.added&wait=10`)
  await until(() => api.counts.streams() === 1)
  await api.save(aToken())
  const campaign = aCampaign()
  await api.save(campaign)
  const found = await waiting
  expect(found.changes).toMatchObject([{ kind: 'campaign.added', campaignId: campaign.id }])
  expect(found).toEqual(await list(`?after=${after}&kind=campaign.added`))
  expect(await list(`?after=${found.nextCursor}&wait=1`)).toEqual({ ...found, changes: [] })
  expect(api.counts.streams()).toBe(0)
})

test('a response that waits for nothing ends in time, whatever memory is freed meanwhile', async () => {
  const waiting = list(`?after=${await now()}&wait=1`)
  await until(() => api.counts.streams() === 1)
  collectGarbage()
  expect((await waiting).changes).toEqual([])
}, 10_000)

test('a response that has waited is the page that one without waiting is', async () => {
  const after = await now()
  const query = `?after=${after}&kind=token.changed,campaign.added&pageSize=140`
  const waiting = list(`${query}&wait=10`)
  await until(() => api.counts.streams() === 1)
  await api.save(...Array.from({ length: 140 }, () => aToken()), aCampaign())
  const [found, listed] = [await waiting, await list(query)]
  expect([listed.changes.length, listed.hasMore]).toEqual([140, true])
  expect(found).toEqual(listed)
  const rest = `?after=${after}&kind=campaign.added&wait=5`
  expect(await list(rest)).toMatchObject({ changes: [{ kind: 'campaign.added' }], hasMore: false })
})

test('a stream says where it stands at its start and every 10 seconds, however much its filter leaves out', async () => {
  await using other = await startTestApp({}, api.database)
  const address = await other.app.listen({ port: 0, host: '127.0.0.1' })
  const after = await now()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  // Before the app closes.
  using _timers = { [Symbol.dispose]: () => vi.useRealTimers() }
  using stream = openStream('?kind=campaign.added', {}, address)
  await until(() => stream.lines.length === 3)
  expect(stream.lines).toEqual(['retry: 1000', `id: ${after}`, ''])
  await api.save(aToken())
  const later = await now()
  await until(() => {
    vi.advanceTimersByTime(10_000)
    return stream.ids().at(-1) === later
  })
  expect(stream.lines.slice(-3)).toEqual([':', `id: ${later}`, ''])
  expect(stream.kinds()).toEqual([])
})

test('a stream that begins with changes says first how soon its client is to come again', async () => {
  const after = await now()
  await api.save(aToken())
  using stream = openStream(`?after=${after}`)
  await until(() => stream.lines.length === 7)
  expect(stream.lines.map((line) => line.split(': ')[0])).toEqual(['retry', 'id', 'event', 'data', '', 'id', ''])
})

test.each([
  ['text/event-stream', true],
  ['application/json;q=0.5, text/event-stream', true],
  ['application/json, text/event-stream', true],
  ['application/json, text/event-stream;q=0.5', false],
  ['text/event-stream;q=0', false],
  ['*/*', false],
])('whether %s gets events: %s', async (accept, isStream) => {
  const abort = new AbortController()
  const { headers } = await fetch(`${base}/changes`, { headers: { accept }, signal: abort.signal })
  expect(headers.get('content-type')?.startsWith('text/event-stream')).toBe(isStream)
  abort.abort()
})

test('streams tell each change once, go on after the last one seen, and are as many as there may be', async () => {
  await until(() => api.counts.streams() === 0)
  const after = await now()
  using first = openStream('')
  using second = openStream(`?after=${after}&kind=campaign.added`)
  // A stream is counted before it has read where it begins.
  await until(() => first.ids().length > 0 && second.ids().length > 0)
  const campaign = aCampaign()
  await api.save(campaign)
  await until(() => first.kinds().length === 1 && second.kinds().length === 1)
  // Whoever has seen it gets answers that have it.
  expect((await api.get(`/campaigns/${campaign.id}`)).statusCode).toBe(200)
  await api.save(aToken(), aToken(), aCampaign())
  await until(() => first.kinds().length === 4 && second.kinds().length === 2)
  using third = openStream('', { 'last-event-id': first.cursors()[0] ?? '' })
  await until(() => third.kinds().length === 3)
  expect(third.cursors()).toEqual(first.cursors().slice(1))
  expect(first.kinds()).toEqual(['campaign.added', 'token.changed', 'token.changed', 'campaign.added'])
  const refused = await api.get('/changes', { accept: 'text/event-stream' })
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '1'])
  expect((await api.get('/changes?wait=1')).statusCode).toBe(503)
  expect((await api.get('/changes')).statusCode).toBe(200)
})

test('of many streams that are opened at once only so many begin, and none is counted once its client has gone', async () => {
  await until(() => api.counts.streams() === 0)
  const abort = new AbortController()
  const open = () => fetch(`${base}/changes`, { headers: { accept: 'text/event-stream' }, signal: abort.signal })
  const responses = await Promise.all(Array.from({ length: 12 }, open))
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, ...new Array<number>(9).fill(503)])
  expect(api.counts.streams()).toBe(3)
  abort.abort()
  await until(() => api.counts.streams() === 0)
  const impatient = AbortSignal.timeout(1)
  await Promise.allSettled(Array.from({ length: 3 }, () => fetch(`${base}/changes?wait=9`, { signal: impatient })))
  await until(() => api.counts.streams() === 0)
})

test('a client that does not keep up is cut off', async () => {
  await until(() => api.counts.streams() === 0)
  const { port } = api.app.server.address() as AddressInfo
  // Refused while requests whose clients have gone a moment ago are still to come.
  const socket = await waitFor(async () => {
    const opened = connect(port, '127.0.0.1').on('error', () => undefined)
    opened.write('GET /changes HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n\r\n')
    const [head] = await once(opened, 'data')
    return String(head).startsWith('HTTP/1.1 200') ? opened : undefined
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await until(() => api.counts.streams() === 1)
  socket.pause()
  // What the system buffers of a connection is a few megabytes: big events soon fill it.
  const long = 'long'.repeat(1000)
  const token = aToken()
  const campaign = aCampaign({ campaignName: long, incentives: [anErc20Incentive(token.address)] })
  await api.save(token, campaign)
  await until(async () => {
    await api.save(...Array.from({ length: 400 }, () => aClaim(campaign)))
    return api.counts.slowStreams === 1
  })
  socket.resume()
  await closed
  await until(() => api.counts.streams() === 0)
})

test('many streams that are opened at once all begin, and all get the next change', async () => {
  // A tenth of them is for one address.
  await using other = await startTestApp({ MAX_STREAMS: '10000' }, api.database)
  await other.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = other.app.server.address() as AddressInfo
  // More than the 511 connections that wait until a server accepts them.
  const [after, texts] = [await now(), new Array<string>(1000).fill('')]
  const sockets = texts.map((_, index) => {
    const socket = connect(port, '127.0.0.1')
    // Half of them come again after the same change.
    const lastSeen = index % 2 === 0 ? '' : `last-event-id: ${after}\r\n`
    socket.write(`GET /changes HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n${lastSeen}\r\n`)
    return socket.on('data', (bytes: Buffer) => {
      texts[index] += bytes.toString()
    })
  })
  const allHave = (text: string) => until(() => texts.every((received) => received.includes(text)))
  await allHave('retry: ')
  expect(new Set(texts.map((text) => text.split('\r\n', 1)[0]))).toEqual(new Set(['HTTP/1.1 200 OK']))
  expect(other.counts.streams()).toBe(texts.length)
  const campaign = aCampaign()
  await api.save(campaign)
  await allHave(`"campaignId":"${campaign.id}"`)
  await Promise.all(sockets.map((socket) => once(socket.destroy(), 'close')))
  await until(() => other.counts.streams() === 0)
})

test('followers share the queries for now and for a cursor, and need none where the changes are buffered', async () => {
  const reader = createChangeReader(api.lanes.lookups.database)
  const asked: (string | undefined)[] = []
  const read: ChangeReader['read'] = (after, max) => {
    asked.push(after)
    return reader.read(after, max)
  }
  const feed = new ChangeFeed({ read }, 1)
  const hundred = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: 100 }, ask))
  const [start] = await hundred(() => feed.now())
  const cursor = start?.page.next ?? ''
  await hundred(() => feed.after(cursor))
  expect(asked).toEqual([undefined, cursor])
  const leave = feed.join('192.0.2.1')
  await until(() => feed.buffer.newest !== undefined)
  const news = feed.news(new AbortController().signal)
  await api.save(aToken(), aToken())
  await news
  leave()
  await until(() => asked.at(-1) === cursor)
  asked.length = 0
  const [slice] = await hundred(() => feed.after(cursor))
  expect(slice?.page.changes.map(({ kind }) => kind)).toEqual(['token.changed', 'token.changed'])
  expect(asked).toEqual([])
  feed.close()
})

test('those that catch up from many cursors share queries, and each gets every change once', async () => {
  const reader = createChangeReader(api.lanes.lookups.database)
  let queries = 0
  const read: ChangeReader['read'] = (after, max) => {
    queries += 1
    return reader.read(after, max)
  }
  const begun = await now()
  const tokens = Array.from({ length: 450 }, () => aToken())
  await api.save(...tokens)
  const cursors: string[] = []
  for (let cursor = begun; ; ) {
    const page = await reader.read(cursor, 50)
    cursors.push(...(page?.changes.map((change) => change.cursor) ?? []))
    if (page?.hasMore !== true) break
    cursor = page.next
  }
  expect(cursors.length).toBeGreaterThanOrEqual(tokens.length)
  const feed = new ChangeFeed({ read }, 1000)
  const catchUp = async (start: number) => {
    const seen: string[] = []
    for (let cursor = cursors[start] ?? ''; ; ) {
      const slice = await feed.after(cursor)
      seen.push(...(slice?.page.changes.map((change) => change.cursor) ?? []))
      if (slice?.page.hasMore !== true) break
      cursor = slice.page.next
    }
    expect(seen).toEqual(cursors.slice(start + 1))
  }
  const starts = Array.from({ length: 90 }, (_, index) => index * 5)
  await Promise.all(starts.map(catchUp))
  // Each by itself would take 245.
  expect(queries).toBeLessThanOrEqual(20)
  feed.close()
})

test('a query for a cursor is shared until it begins, and what came since is in the next one', async () => {
  const feed = new ChangeFeed(createChangeReader(api.lanes.lookups.database), 1)
  const cursor = (await feed.now()).page.next
  const kinds = async () => (await feed.after(cursor))?.page.changes.map(({ kind }) => kind)
  expect(await kinds()).toEqual([])
  await api.save(aToken())
  expect(await kinds()).toEqual(['token.changed'])
  feed.close()
})

test('when the service ends, streams end after what was sent is whole', async () => {
  await using other = await startTestApp({}, api.database)
  const address = await other.app.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(`${address}/changes`, { headers: { accept: 'text/event-stream' } })
  const [text, after] = [response.text(), await now()]
  await until(() => other.counts.streams() === 1)
  await other.app.close()
  expect(await text).toBe(`retry: 1000\nid: ${after}\n\n`.repeat(2))
})

test('when the service ends while a stream reads what is not buffered, the stream ends as all others do', async () => {
  const after = await now()
  await api.save(aToken())
  const reader = createChangeReader(api.lanes.lookups.database)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const read: ChangeReader['read'] = async (...asked) => {
    await released
    return reader.read(...asked)
  }
  const feed = new ChangeFeed({ read }, 1)
  const reading = vi.spyOn(feed, 'after')
  const start = new ChangeSlice({ changes: [], next: after, hasMore: false })
  const callbacks = { onSlow: () => expect.unreachable(), onClose: () => undefined }
  const stream = new ChangeStream({ feed, filter: createFilter({ pageSize: 100, wait: 0 }), start, ...callbacks })
  // Its client is slow: what the stream has sent waits.
  stream.read(0)
  await until(() => reading.mock.calls.length === 1)
  feed.close()
  release()
  await reading.mock.results[0]?.value
  const text = Buffer.concat((await stream.toArray()).map((chunk) => Buffer.from(chunk))).toString()
  expect(text).toBe(`retry: 1000\nid: ${after}\n\n`.repeat(2))
})

test('a buffer keeps the cursors of commits without a change only as long as others', () => {
  const buffer = new ChangeBuffer()
  // More than the 50,000 cursors that are buffered.
  const commits = 100_000
  for (let commit = 0; commit < commits; commit += 1) {
    buffer.add({ changes: [], next: `c${commit}`, hasMore: false })
  }
  const newest = `c${commits - 1}`
  expect(buffer.after(newest)?.page).toEqual({ changes: [], next: newest, hasMore: false })
  expect(buffer.after(`c${commits - 2}`)?.page).toEqual({ changes: [], next: newest, hasMore: false })
  expect(buffer.after('c0')).toBeUndefined()
})

import { ServiceError } from 'reward-campaigns-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pollRequest, type RequestState } from '../../packages/explorer/src/requests/poll-request.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A page that asks every 10 seconds, and what it was told; what is asked is answered by hand. */
function aPage() {
  const reported: RequestState<string>[] = []
  const asked: { response: (response: string) => void; fail: (failure: unknown) => void; signal: AbortSignal }[] = []
  const page = { reported, asked, isLookedAt: true }
  const ask = (signal: AbortSignal) =>
    new Promise<string>((response, fail) => {
      asked.push({ response, fail, signal })
    })
  const rpcCall = pollRequest(
    ask,
    (what) => reported.push(what),
    () => page.isLookedAt,
    () => 10_000,
  )
  return Object.assign(page, rpcCall)
}

test('asks at once, and again once the answer is as old as it may be', async () => {
  const page = aPage()
  expect(page.asked).toHaveLength(1)
  page.asked[0]?.response('one')
  await vi.advanceTimersByTimeAsync(9_999)
  expect(page.reported).toMatchObject([{ state: 'shown', response: 'one' }])
  expect(page.asked).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(page.asked).toHaveLength(2)
})

test('one request is under way at a time, however often somebody looks again', async () => {
  const page = aPage()
  page.retryNow()
  page.retryNow()
  expect(page.asked).toHaveLength(1)
  page.asked[0]?.response('one')
  await vi.advanceTimersByTimeAsync(10_000)
  page.retryNow()
  expect(page.asked).toHaveLength(2)
  page.asked[1]?.response('two')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(page.asked).toHaveLength(3)
})

test('what is refused is not asked again sooner than an answer', async () => {
  const page = aPage()
  page.asked[0]?.fail(new ServiceError('there is no such campaign', 404, undefined, undefined))
  await vi.advanceTimersByTimeAsync(9_999)
  expect(page.asked).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(page.asked).toHaveLength(2)
})

test('tells of a failure in the place of what was shown, and comes back when the service says', async () => {
  const page = aPage()
  page.asked[0]?.response('one')
  await vi.advanceTimersByTimeAsync(10_000)
  const failure = new ServiceError('the database is away', 503, undefined, 5)
  page.asked[1]?.fail(failure)
  await vi.advanceTimersByTimeAsync(4_999)
  expect(page.reported).toMatchObject([{ state: 'shown' }, { state: 'failed', failure }])
  expect(page.asked).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  expect(page.asked).toHaveLength(3)
})

test('does not wait for long, whatever the service says', async () => {
  const page = aPage()
  page.asked[0]?.fail(new ServiceError('the database is away', 503, undefined, 3_600))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(page.asked).toHaveLength(2)
})

test('asks nothing while nobody looks, and shows nothing old to who comes back', async () => {
  const page = aPage()
  page.asked[0]?.response('one')
  await vi.advanceTimersByTimeAsync(0)
  page.isLookedAt = false
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(page.asked).toHaveLength(1)
  page.isLookedAt = true
  page.retryNow()
  expect(page.reported.at(-1)).toEqual({ state: 'loading' })
  expect(page.asked).toHaveLength(2)
})

test('tells nothing once it is stopped: what was asked for another page comes too late', async () => {
  const page = aPage()
  page.stop()
  expect(page.asked[0]?.signal.aborted).toBe(true)
  page.asked[0]?.response('one')
  page.retryNow()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(page.reported).toEqual([])
  expect(page.asked).toHaveLength(1)
})

test('gives up a request that nobody answers', async () => {
  const page = aPage()
  await vi.advanceTimersByTimeAsync(19_999)
  expect(page.asked[0]?.signal.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(page.asked[0]?.signal.aborted).toBe(true)
})

test('what has changed is asked for again soon, but not each time', async () => {
  const page = aPage()
  page.refresh()
  page.asked[0]?.response('one')
  await vi.advanceTimersByTimeAsync(1_999)
  expect(page.asked).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(page.asked).toHaveLength(2)
  page.asked[1]?.response('two')
  await vi.advanceTimersByTimeAsync(500)
  for (let times = 0; times < 9; times += 1) page.refresh()
  await vi.advanceTimersByTimeAsync(1_500)
  expect(page.asked).toHaveLength(3)
  page.asked[2]?.response('three')
  await vi.advanceTimersByTimeAsync(5_000)
  page.refresh()
  await vi.advanceTimersByTimeAsync(0)
  expect(page.asked).toHaveLength(4)
})

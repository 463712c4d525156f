import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eitherSignal, isTimeout, withDeadline } from '../../src/abort-signals.ts'
import { collectGarbage } from '../setup/collect-garbage.ts'

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test('work ends when its time is over, whatever memory is freed meanwhile', async () => {
  const error = withDeadline(100, new AbortController().signal, async (signal) => {
    collectGarbage()
    return await aborted(signal)
  }).catch((reason: unknown) => reason)
  collectGarbage()
  expect(isTimeout(await error)).toBe(true)
})

test('work ends with the signal of its caller, and with its reason', async () => {
  const caller = new AbortController()
  const work = withDeadline(10_000, caller.signal, aborted).catch((reason: unknown) => reason)
  caller.abort('gone')
  expect(await work).toBe('gone')
  const late = await withDeadline(10_000, caller.signal, async (signal) => signal.reason)
  expect(late).toBe('gone')
})

test('work that ends in time has its result, and its signal fires no more with that of the caller', async () => {
  const caller = new AbortController()
  const reasons: unknown[] = []
  const result = await withDeadline(20, caller.signal, async (signal) => {
    signal.addEventListener('abort', () => reasons.push(signal.reason))
    return 'done'
  })
  expect(result).toBe('done')
  const before = [...reasons]
  caller.abort('gone')
  await sleep(40)
  expect(reasons).toEqual(before)
  expect(reasons).not.toContain('gone')
})

test('either of two signals fires the one that follows both, once', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const signal = eitherSignal(one.signal, other.signal)
  expect(signal.aborted).toBe(false)
  other.abort('second')
  one.abort('first')
  expect(signal.reason).toBe('second')
  expect(eitherSignal(one.signal, new AbortController().signal).reason).toBe('first')
})

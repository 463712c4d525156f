import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CancelledError, currentCaller, runAs, withAbort } from '../../src/abort-context.ts'
import { batchLookups } from '../../src/single-flight.ts'

/** Looks keys up in upper case, and keeps what it was asked; keys that begin with a minus are not there. */
function recordingLookUp(maxKeys: number) {
  const asked: string[][] = []
  const find = batchLookups(maxKeys, async (keys) => {
    asked.push(keys)
    if (keys.includes('fault')) throw new Error('no')
    return new Map(keys.filter((key) => !key.startsWith('-')).map((key) => [key, key.toUpperCase()]))
  })
  return { asked, find }
}

test('lookups of one moment are one question, and each gets its own answer', async () => {
  const { asked, find } = recordingLookUp(100)
  expect(await Promise.all(['a', 'b', '-', 'a'].map(find))).toEqual(['A', 'B', undefined, 'A'])
  expect(asked).toEqual([['a', 'b', '-']])
})

test('a lookup does not join a question that has been asked', async () => {
  const { asked, find } = recordingLookUp(100)
  await find('a')
  await find('a')
  expect(asked).toEqual([['a'], ['a']])
})

test('a question is about no more keys than it may be', async () => {
  const { asked, find } = recordingLookUp(2)
  expect(await Promise.all(['a', 'b', 'c'].map(find))).toEqual(['A', 'B', 'C'])
  expect(asked).toEqual([['a', 'b'], ['c']])
})

test('what fails, fails for all who asked, and for nobody after them', async () => {
  const { find } = recordingLookUp(100)
  const outcomes = await Promise.allSettled(['a', 'fault'].map(find))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await find('a')).toBe('A')
})

/** Looks keys up when it is told to; a key is as large as the number that it is. */
function heldLookUp(maxSize: number) {
  const asked: { keys: string[]; address: string | undefined; answer: () => void }[] = []
  const find = batchLookups(
    maxSize,
    (keys) =>
      new Promise<Map<string, string>>((resolve) => {
        const answer = () => resolve(new Map(keys.map((key) => [key, key])))
        asked.push({ keys, address: currentCaller()?.address, answer })
      }),
    Number,
  )
  /** For a client with this address. */
  const findFor = (address: string, key: string) => runAs({ signal: undefined, address }, () => find(key))
  return { asked, find, findFor }
}

test('what is looked up while a question is under way is one question after it', async () => {
  const { asked, find } = heldLookUp(100)
  const first = find('1')
  await nextTurn()
  const others = [find('2'), find('3')]
  await nextTurn()
  others.push(find('2'))
  await nextTurn()
  expect(asked.map(({ keys }) => keys)).toEqual([['1']])
  asked[0]?.answer()
  expect(await first).toBe('1')
  await expect.poll(() => asked.map(({ keys }) => keys)).toEqual([['1'], ['2', '3']])
  asked[1]?.answer()
  expect(await Promise.all(others)).toEqual(['2', '3', '2'])
})

test('a question without an answer holds up the others for a tenth of a second', async () => {
  const { asked, find } = heldLookUp(100)
  const lost = find('1')
  await nextTurn()
  const start = performance.now()
  const later = find('2')
  await expect.poll(() => asked.length, { interval: 5, timeout: 5000 }).toBe(2)
  expect(performance.now() - start).toBeGreaterThan(50)
  asked[1]?.answer()
  expect(await later).toBe('2')
  asked[0]?.answer()
  expect(await lost).toBe('1')
})

test('questions are no larger than they may be, but for what is larger alone', async () => {
  const { asked, find } = heldLookUp(100)
  const found = Promise.all(['60', '40', '1', '200', '100'].map(find))
  for (let nth = 0; nth < 4; nth += 1) {
    await expect.poll(() => asked.length).toBe(nth + 1)
    asked[nth]?.answer()
  }
  expect(await found).toEqual(['60', '40', '1', '200', '100'])
  expect(asked.map(({ keys }) => keys)).toEqual([['60', '40'], ['1'], ['200'], ['100']])
})

test('addresses take turns, and a question for one of them is charged to it', async () => {
  const { asked, findFor } = heldLookUp(4)
  const found = Promise.all([
    ...['1', '1.1', '1.2', '1.3', '1.4', '1.5', '1.6'].map((key) => findFor('a', key)),
    findFor('b', '1.7'),
  ])
  for (let nth = 0; nth < 3; nth += 1) {
    await expect.poll(() => asked.length).toBe(nth + 1)
    asked[nth]?.answer()
  }
  await found
  expect(asked.map(({ keys, address }) => ({ keys, address }))).toEqual([
    { keys: ['1', '1.7', '1.1'], address: undefined },
    { keys: ['1.2', '1.3', '1.4'], address: 'a' },
    { keys: ['1.5', '1.6'], address: 'a' },
  ])
})

test('what nobody waits for any more is not looked up', async () => {
  const { asked, find } = heldLookUp(100)
  const first = find('1')
  await nextTurn()
  const gone = new AbortController()
  const left = withAbort(gone.signal, () => find('2'))
  const stays = find('3')
  gone.abort()
  asked[0]?.answer()
  await first
  await expect(left).rejects.toThrow(CancelledError)
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.answer()
  expect(await stays).toBe('3')
  expect(asked[1]?.keys).toEqual(['3'])
})

test('who comes after all others have gone does not share their fate', async () => {
  const { asked, find } = recordingLookUp(100)
  const gone = new AbortController()
  const left = withAbort(gone.signal, () => find('a'))
  gone.abort()
  expect(await find('b')).toBe('B')
  await expect(left).rejects.toThrow(CancelledError)
  expect(asked).toEqual([['b']])
})

import { expect, test } from 'vitest'
import { withAbort } from '../../src/abort-context.ts'
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

test('who comes after all others have gone does not share their fate', async () => {
  const { asked, find } = recordingLookUp(100)
  const gone = new AbortController()
  const left = withAbort(gone.signal, () => find('a'))
  gone.abort()
  expect(await find('b')).toBe('B')
  await left
  expect(asked).toContainEqual(['b'])
})

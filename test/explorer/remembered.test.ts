import { expect, test } from 'vitest'
import { recall, remember } from '../../packages/explorer/src/remembered.ts'

const shown = (answer: string, ageMs = 0) => ({ state: 'shown', answer, at: new Date(Date.now() - ageMs) }) as const

test('a recent response is recalled, by its own key', () => {
  remember('one', shown('1'))
  expect(recall('one')).toMatchObject({ state: 'shown', answer: '1' })
  expect(recall('another')).toEqual({ state: 'loading' })
})

test('one of half a minute ago is not', () => {
  remember('old', shown('1', 30_001))
  expect(recall('old')).toEqual({ state: 'loading' })
})

test('one that a failure has followed is not', () => {
  remember('failed', shown('1'))
  remember('failed', { state: 'failed', failure: new Error('away') })
  expect(recall('failed')).toEqual({ state: 'loading' })
})

test('the last 20 are', () => {
  for (let page = 0; page < 21; page++) remember(`page ${page}`, shown(String(page)))
  expect(recall('page 0')).toEqual({ state: 'loading' })
  expect(recall('page 1')).toMatchObject({ answer: '1' })
})

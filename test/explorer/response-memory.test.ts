import { expect, test } from 'vitest'
import { lookup, store } from '../../packages/explorer/src/requests/response-memory.ts'

const shown = (response: string, ageMs = 0) => ({ state: 'shown', response, at: new Date(Date.now() - ageMs) }) as const

test('a recent response is recalled, by its own key', () => {
  store('one', shown('1'))
  expect(lookup('one')).toMatchObject({ state: 'shown', response: '1' })
  expect(lookup('another')).toEqual({ state: 'loading' })
})

test('one of half a minute ago is not', () => {
  store('old', shown('1', 30_001))
  expect(lookup('old')).toEqual({ state: 'loading' })
})

test('one that a failure has followed is not', () => {
  store('failed', shown('1'))
  store('failed', { state: 'failed', failure: new Error('away') })
  expect(lookup('failed')).toEqual({ state: 'loading' })
})

test('the last 20 are', () => {
  for (let page = 0; page < 21; page++) store(`page ${page}`, shown(String(page)))
  expect(lookup('page 0')).toEqual({ state: 'loading' })
  expect(lookup('page 1')).toMatchObject({ response: '1' })
})

import { expect, test } from 'vitest'
import { movementInWords, movementOf } from '../../packages/explorer/src/texts/percent-change.ts'

test.each([
  [112, 100, { direction: 'up', change: '12%' }, 'up 12% from 100 in the window before'],
  [50, 100, { direction: 'down', change: '50%' }, 'down 50% from 100 in the window before'],
  [0, 100, { direction: 'down', change: '100%' }, 'down 100% from 100 in the window before'],
  [100, 100, { direction: 'same' }, 'the same as in the window before'],
  [0, 0, { direction: 'same' }, 'the same as in the window before'],
  [3, 0, { direction: 'new' }, 'none in the window before'],
  [1000, 100, { direction: 'up', change: '10×' }, '10 times the 100 of the window before'],
  [9_990_000, 100, { direction: 'up', change: '100K×' }, '100K times the 100 of the window before'],
  [100.01, 100, { direction: 'up', change: '0.01%' }, 'up 0.01% from 100 in the window before'],
])('%d after %d is %o', (now, before, movement, words) => {
  expect(movementOf(now, before)).toEqual(movement)
  expect(movementInWords(movementOf(now, before), String(before))).toBe(words)
})

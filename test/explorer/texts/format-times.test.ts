import { expect, test } from 'vitest'
import {
  absoluteTime,
  duration,
  exactTime,
  relativeTime,
  toMoment,
} from '../../../packages/explorer/src/texts/format-times.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)

test.each([
  [0, 'just now'],
  [-4, 'just now'],
  [-30, '30 seconds ago'],
  [-119, '119 seconds ago'],
  [-125, '2 minutes ago'],
  [-3 * 3_600, '3 hours ago'],
  [2.5 * 86_400, 'in 2 days'],
  [-90 * 86_400, '2 months ago'],
  [3 * 365.25 * 86_400, 'in 3 years'],
])('%d seconds from now is "%s"', (seconds, reported) => {
  expect(relativeTime(after(seconds), NOW)).toBe(reported)
})

test('a moment is read from Unix seconds and from ISO 8601', () => {
  expect(toMoment('1731373464')).toEqual(new Date('2024-11-12T01:04:24Z'))
  expect(toMoment('2026-01-31T12:00:00.000Z')).toEqual(new Date('2026-01-31T12:00:00Z'))
})

test('what no calendar has is no moment', () => {
  expect(toMoment('99999999999999999999')).toBeUndefined()
  expect(toMoment('soon')).toBeUndefined()
})

test.each([
  [0, '0 s'],
  [119, '119 s'],
  [1800, '30 min'],
  [14_400, '4 h'],
  [86_400 * 3, '3 d'],
])('%d seconds are %s', (seconds, reported) => {
  expect(duration(seconds)).toBe(reported)
})

test('a time says in which zone it is', () => {
  const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'short' })
    .formatToParts(NOW)
    .find(({ type }) => type === 'timeZoneName')
  expect(absoluteTime(NOW).endsWith(` ${zone?.value}`)).toBe(true)
  expect(exactTime(NOW).endsWith(` ${zone?.value}`)).toBe(true)
})

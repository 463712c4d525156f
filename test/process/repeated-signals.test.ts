import { describe, expect, test } from 'vitest'
import { createRequestCounter } from '../../src/process/shutdown.ts'

describe('signals', () => {
  const counted = (times: number[]) => {
    const requests = createRequestCounter()
    return times.map((time) => requests.count(time))
  }

  test.each([
    ['copies of one signal are one wish', [0, 2, 4, 90], ['first', 'same', 'same', 'same']],
    ['twice within a few seconds is one wish', [0, 1500], ['first', 'same']],
    ['the third time is meant seriously', [0, 1500, 2500], ['first', 'same', 'forced']],
    ['a second one after a while is meant seriously', [0, 3500], ['first', 'forced']],
  ])('%s', (_title, times, expected) => {
    expect(counted(times)).toEqual(expected)
  })
})

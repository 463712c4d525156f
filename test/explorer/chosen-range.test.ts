import { expect, test } from 'vitest'
import { chosenRange } from '../../packages/explorer/src/outlook/chosen-range.ts'

test('days are a range in whichever order they are chosen', () => {
  const february = { from: '2026-02-01', to: '2026-02-28' }
  expect(chosenRange(february)).toEqual(february)
  expect(chosenRange({ from: '2026-02-28', to: '2026-02-01' })).toEqual(february)
})

test.each([{}, { from: '2026-02-01' }, { from: 'x', to: '2026-02-01' }, { from: '2026-02-01', to: '2026-13-01' }])(
  'what names no two days is no range: %o',
  (query) => {
    expect(chosenRange(query)).toBeUndefined()
  },
)

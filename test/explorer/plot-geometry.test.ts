import { expect, test } from 'vitest'
import { axisEnd, barsOf } from '../../packages/explorer/src/plots/plot-geometry.ts'

test('bars stand side by side on the ground, the highest as high as the plot', () => {
  expect(barsOf([0, 5, 10, 1], { width: 40, height: 20, gap: 0.2 })).toEqual([
    { x: 0, y: 20, width: 8, height: 0 },
    { x: 10, y: 10, width: 8, height: 10 },
    { x: 20, y: 0, width: 8, height: 20 },
    { x: 30, y: 18, width: 8, height: 2 },
  ])
})

test('few are seen beside many, and none is not', () => {
  const heights = barsOf([0, 1, 100_000], { width: 3, height: 20, gap: 0, least: 2 }).map(({ height }) => height)
  expect(heights).toEqual([0, 2, 20])
})

test('where nothing happened there are no bars, and nowhere none at all', () => {
  expect(barsOf([0, 0], { width: 2, height: 9, gap: 0, least: 1 }).map(({ height }) => height)).toEqual([0, 0])
  expect(barsOf([], { width: 2, height: 9, gap: 0 })).toEqual([])
})

test.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 5],
  [6, 10],
  [101, 200],
  [9_999, 10_000],
])('an axis for %d ends at %d', (highest, end) => {
  expect(axisEnd(highest)).toBe(end)
})

import { expect, test } from 'vitest'
import { optionsOf } from '../../packages/explorer/src/campaigns/filters/facets/facet-options.ts'

const swap = { value: 'swap', count: 7 }
const mint = { value: 'mint', count: 2 }
const counted = { facets: { actionType: [swap, mint] }, facetsWithMore: [] }

test('what was counted can be chosen, in its order, and what is chosen keeps its count', () => {
  expect(optionsOf('actionType', ['Mint'], counted)).toEqual([
    { ...swap, isChosen: false },
    { ...mint, isChosen: true },
  ])
})

test('what is chosen and was not counted has no campaign, unless there are more values', () => {
  const bridge = { value: 'bridge', isChosen: true }
  expect(optionsOf('actionType', ['bridge'], counted)[2]).toEqual({ ...bridge, count: 0 })
  const withMore = { ...counted, facetsWithMore: ['actionType' as const] }
  expect(optionsOf('actionType', ['bridge'], withMore)[2]).toEqual({ ...bridge, count: undefined })
  expect(optionsOf('actionType', ['bridge', ''], {})).toEqual([{ ...bridge, count: undefined }])
})

test('without a count that is right, the values alone stay', () => {
  expect(optionsOf('actionType', [], { ...counted, isKnown: false })).toEqual([
    { value: 'swap', isChosen: false },
    { value: 'mint', isChosen: false },
  ])
})

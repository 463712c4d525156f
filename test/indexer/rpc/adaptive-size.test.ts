import { expect, test } from 'vitest'
import { AdaptiveSize } from '../../../src/indexer/rpc/adaptive-size.ts'

test('the limit is the size that has succeeded, also while the largest is tried again', () => {
  const size = new AdaptiveSize(100)
  expect(size.limit).toBeUndefined()
  size.lowerTo(64)
  for (let nth = 0; nth < 10; nth += 1) size.recordSuccess(64)
  expect({ current: size.current, limit: size.limit }).toEqual({ current: 100, limit: 64 })
  size.recordSuccess(100)
  expect(size.limit).toBeUndefined()
})

import { expect, test } from 'vitest'
import { refusalOf } from '../../setup/refusals.ts'

const refused = (query: Record<string, string>) => refusalOf(`/claims?${new URLSearchParams(query)}`)

test('a cursor that is none is refused', async () => {
  for (const cursor of ['abc', 'A', 'a'.repeat(512)]) {
    expect(await refused({ cursor })).toContain('cursor must be a cursor of this operation, got "')
  }
  expect(await refused({ cursor: '' })).toContain('cursor must be a cursor of this operation')
  expect(await refused({ cursor: 'ä' })).toContain('cursor must be a cursor of this operation')
  expect(await refused({ cursor: 'a'.repeat(513) })).toContain('cursor must be a cursor of this operation')
})

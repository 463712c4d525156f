import { expect, test } from 'vitest'
import { refusalOf } from '../../setup/refusals.ts'

test.each([
  { blocks: '8453', error: 'an entry of minBlock must be <chainId>:<block>, got "8453"' },
  { blocks: '8453:-1', error: 'an entry of minBlock must be <chainId>:<block>, got "8453:-1"' },
  { blocks: '8453:0x1', error: 'an entry of minBlock must be <chainId>:<block>, got "8453:0x1"' },
  { blocks: '', error: 'an entry of minBlock must be <chainId>:<block>, got ""' },
  {
    blocks: Array.from({ length: 11 }, (_, index) => `8453:${index}`).join(),
    error: 'minBlock must have at most 10 entries',
  },
])('blocks are refused: $blocks', async ({ blocks, error }) => {
  expect(await refusalOf(`/campaigns?minBlock=${blocks}`)).toBe(error)
})

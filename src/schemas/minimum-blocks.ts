import { type Static, Type } from '@sinclair/typebox'
import { parameterExamples } from './parameter-examples.ts'
import { commaSeparated } from './query-values.ts'

const MinimumBlock = Type.String({
  pattern: '^(0|[1-9][0-9]{0,15}):(0|[1-9][0-9]{0,14})$',
  description: 'A chain ID and a block number.',
  'x-expected': '<chainId>:<block>',
})

/** The parameter of operations whose answers can be asked for as of a block. */
export const minimumBlocks = {
  minBlock: commaSeparated(MinimumBlock, {
    most: 10,
    example: parameterExamples.minimumBlock,
    description:
      'Blocks `<chainId>:<block>` of followed chains (see `/status`) whose effects are in the answer: who has just sent a transaction asks with its block, and never sees the time before it. The answer waits up to 2 seconds for that; then it is 503 with `Retry-After: 1`. Of several blocks of a chain the highest counts.',
  }),
}

export type MinimumBlocks = Static<typeof minimumBlocks.minBlock>

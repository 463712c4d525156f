import { type Static, Type } from '@sinclair/typebox'
import { parameterExamples } from './parameter-examples.ts'
import { commaSeparated } from './query-values.ts'

const MinimumBlock = Type.String({
  pattern: '^(0|[1-9][0-9]{0,15}):(0|[1-9][0-9]{0,14})$',
  description: 'A chain ID and a block number.',
  'x-expected': '<chainId>:<block>',
})

/** The parameter of operations that can wait for a block. */
export const minimumBlocks = {
  minBlock: commaSeparated(MinimumBlock, {
    max: 10,
    example: parameterExamples.minimumBlock,
    description:
      'Oldest acceptable block `<chainId>:<block>` of each indexed chain (see `/status`): a caller that has just sent a transaction passes its block, and never sees state older than that block. The request waits up to 2 seconds for the block, then returns 503 with `Retry-After: 1`. If a chain is given several times, the highest block counts.',
  }),
}

export type MinimumBlocks = Static<typeof minimumBlocks.minBlock>

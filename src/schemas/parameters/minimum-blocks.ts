import { type Static, Type } from '@sinclair/typebox'
import { parameterExamples } from './parameter-examples.ts'
import { commaSeparated } from './query-values.ts'

const MinimumBlock = Type.String({
  pattern: '^(0|[1-9][0-9]{0,15}):(0|[1-9][0-9]{0,14})$',
  format: 'chain-first',
  description: 'A chain ID and a block number.',
  'x-expected': '<chainId>:<block>',
})

/** The parameter of operations that can wait for a block. */
export const minimumBlocks = {
  minBlock: commaSeparated(MinimumBlock, {
    max: 10,
    example: parameterExamples.minimumBlock,
    description:
      'Oldest acceptable block `<chainId>:<block>` of indexed chains (see `/status`), such as that of your transaction. The request waits up to 2 seconds for it, then returns 503 with `Retry-After: 1`. Of several blocks of a chain the highest counts.',
  }),
}

export type MinimumBlocks = Static<typeof minimumBlocks.minBlock>

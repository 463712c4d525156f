import { EndpointError } from './endpoint-errors.ts'
import { type BlockHeader, readHeader } from './node-answers.ts'
import type { Question } from './rpc-questions.ts'

const blockAt = <Result>(
  tag: string | number,
  readBlock: (block: BlockHeader | null) => Result,
  more: Pick<Question<Result>, 'readError'> = {},
): Question<Result> => ({
  call: {
    method: 'eth_getBlockByNumber',
    params: [typeof tag === 'number' ? `0x${tag.toString(16)}` : tag, false],
  },
  read: (answer) => readBlock(readHeader(answer)),
  ...more,
})

/** The newest block. */
export const headBlock = blockAt('latest', (block) => {
  if (block === null) throw new EndpointError('unknown-block', 'has no newest block')
  return block
})

/** The newest final block; null where it is not told. */
export const finalizedBlock = blockAt('finalized', (block) => block, {
  readError(error) {
    if (error.fault !== 'refused' && error.fault !== 'unknown-block') throw error
    return null
  },
})

/** The block that has a number now. */
export const blockNumbered = (number: number) =>
  blockAt(number, (block) => {
    if (block === null) throw new EndpointError('unknown-block', 'does not have a block')
    if (block.number !== number) throw new EndpointError('garbage', 'gave another block than was asked for')
    return block
  })

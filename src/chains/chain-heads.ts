import { EndpointError } from './endpoint-errors.ts'
import { askChainId, type Endpoint, type Endpoints, LONGEST_PAUSE_MS } from './endpoints.ts'
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
const headBlock = blockAt('latest', (block) => {
  if (block === null) throw new EndpointError('unknown-block', 'has no newest block')
  return block
})

/** The newest final block; null where it is not told. */
const finalizedBlock = blockAt('finalized', (block) => block, {
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

/** The newest block of a chain, and the newest that is final: null where it is not told. */
export interface Heads {
  head: BlockHeader
  finalized: BlockHeader | null
}

/**
 * Asks the first endpoint that answers for its newest block. One that stands still answers as well as any other: where its
 * head has not changed for a while, or is below one that was seen, the others are asked too, and it is left for the one
 * that is ahead.
 * @param standingMs how long a head may stay the same before others are asked, and how often they are.
 */
export function createHeads(chainId: number, endpoints: Endpoints, standingMs: number) {
  let newest: { head: BlockHeader; at: number } | undefined

  // The chain is asked for each time: behind a URL there may be another node than before.
  const questions = [headBlock, finalizedBlock, askChainId(chainId)]
  async function askHeads(endpoint: Endpoint) {
    const [head, finalized] = await endpoint.ask<BlockHeader | null>(questions)
    if (!head || finalized === undefined) throw new TypeError('a question has no answer')
    return { position: endpoint.position, head, finalized }
  }

  function isDoubtful({ head }: Heads) {
    if (newest === undefined || head.number > newest.head.number) return false
    return head.number < newest.head.number || Date.now() - newest.at >= standingMs
  }

  return async function heads(signal: AbortSignal): Promise<Heads> {
    let found = await endpoints.ask({ question: askHeads, signal })
    if (isDoubtful(found)) {
      for (const other of await endpoints.askOthers(found.position, askHeads, signal)) {
        if (other.head.number <= found.head.number) continue
        endpoints.leave(
          found.position,
          new EndpointError('behind', 'has no new blocks', { retryAfterMs: LONGEST_PAUSE_MS }),
        )
        found = other
      }
      newest = undefined
    }
    if (newest === undefined || found.head.hash !== newest.head.hash) newest = { head: found.head, at: Date.now() }
    return { head: found.head, finalized: found.finalized }
  }
}

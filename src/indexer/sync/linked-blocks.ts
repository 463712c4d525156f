import type { Hex } from 'viem'
import type { ChainLog } from '../protocol/chain-logs.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import { EndpointError } from '../rpc/endpoint-errors.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'

/** A block that identifies a history of the chain. */
export interface BlockReference {
  number: number
  hash: Hex
}

/** Maximum number of blocks requested together. */
const MAX_BLOCKS = 100

const unlinked = () => new EndpointError('unknown-block', 'the chain changed while it was read')

/**
 * The blocks from one number to another, each the parent of the next, whichever endpoint returned them.
 * @throws EndpointError if they are not linked: the chain changed meanwhile, or two endpoints disagree.
 */
export async function linkedBlocks(client: ChainClient, from: number, to: number): Promise<BlockHeader[]> {
  const blocks: BlockHeader[] = []
  for (let start = from; start <= to; start += MAX_BLOCKS) {
    const numbers = Array.from({ length: Math.min(MAX_BLOCKS, to - start + 1) }, (_, index) => start + index)
    for (const block of await client.blocksAt(numbers)) {
      const previous = blocks.at(-1)
      if (previous !== undefined && block.parentHash !== previous.hash) throw unlinked()
      blocks.push(block)
    }
  }
  return blocks
}

/**
 * Reads the blocks after one, up to the head, which moves on meanwhile: all but the last few with their logs. The first of them
 * may have another parent.
 * @param last its hash is null if unknown.
 * @param headBlocks maximum number of those last few.
 */
export async function readTowardsHead(
  client: ChainClient,
  last: { number: number; hash: Hex | null },
  head: BlockHeader,
  headBlocks: number,
) {
  const parts: { logs: ChainLog[]; blocks: BlockHeader[] }[] = []
  for (;;) {
    // Usually there is one more block, and it is known already.
    const few = head.parentHash === last.hash ? [head] : await linkedBlocks(client, last.number + 1, head.number)
    const before = parts.at(-1)?.blocks.at(-1)
    if (before !== undefined) checkLink(before, few)
    const newest = few.at(-1)
    if (newest === undefined || few.length <= headBlocks) {
      return { parts, few, blocks: [...parts.flatMap(({ blocks }) => blocks), ...few], head }
    }
    parts.push({ logs: await client.logsOf(few), blocks: few })
    last = newest
    const now = await client.heads()
    if (now.head.number > head.number) head = now.head
  }
}

/**
 * The newest stored block, up to a number, that the chain still has.
 * @param window stored blocks, ascending.
 * @returns undefined if it has none of them.
 */
export async function findAncestor(
  client: ChainClient,
  window: readonly BlockReference[],
  upTo: number,
): Promise<BlockHeader | undefined> {
  const stored = window.filter(({ number }) => number <= upTo).reverse()
  // Most reorganisations are short.
  for (let start = 0, count = 2; start < stored.length; start += count, count = Math.min(MAX_BLOCKS, 4 * count)) {
    const some = stored.slice(start, start + count)
    const blocks = await client.blocksAt(some.map(({ number }) => number))
    const ancestor = blocks.find((block, index) => block.hash === some[index]?.hash)
    if (ancestor) return ancestor
  }
  return undefined
}

/** Refuses blocks that do not descend from another one. */
export function checkLink(base: BlockReference, [first]: readonly BlockHeader[]) {
  if (first !== undefined && first.parentHash !== base.hash) throw unlinked()
}

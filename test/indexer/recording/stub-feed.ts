import type { Hex } from 'viem'
import { returns } from '../../../demo/contracts.ts'
import { answerUpdated, feedReturns } from '../../../demo/price-feed.ts'
import { emitLog, storeResponse } from '../../../demo/replay-contract.ts'

/*
 * A price feed of our own on a real node: what is sent to the contract that replays, so that it answers as a proxy does, and
 * says what its aggregators say.
 */

const stored = ({ to, data, result }: ReturnType<typeof returns>) => ({
  ...{ to, asked: data, result },
  data: storeResponse(data, result),
})

/** Makes a contract a proxy with 8 decimals; the last of its aggregators is the current one. */
export const becomeFeed = (feed: Hex, aggregators: readonly Hex[], description = 'TOKEN / USD') =>
  feedReturns(feed, aggregators, description).map(stored)

/** Has a proxy tell a round of the past. */
export function rememberRound(feed: Hex, phase: bigint, round: bigint, response: bigint, updatedAt: number) {
  const id = (phase << 64n) | round
  return stored(returns(feed, 'getRoundData', [id, response, BigInt(updatedAt), BigInt(updatedAt), id], [id]))
}

/** Has an aggregator tell a price, in units of its decimals. */
export const tellPrice = (aggregator: Hex, id: bigint, answer: bigint) => ({
  to: aggregator,
  data: emitLog(answerUpdated(aggregator, { id, answer })),
})

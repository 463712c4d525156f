import type { Hex } from 'viem'
import { parseAbi } from 'viem/utils'
import { addressOf, type Effects, log, returns } from './contracts.ts'

/*
 * A price feed as the demo and tests have it: a proxy that names its aggregators, and an aggregator that emits prices.
 */

const feedEvents = parseAbi(['event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)'])

export const feed = addressOf('ether feed')
export const aggregator = addressOf('ether aggregator')

/** The newest round of the feed; its answer is in units of 10^-8 US dollars. */
export interface Round {
  id: bigint
  answer: bigint
}

/** What a proxy with 8 decimals returns; the last of its aggregators is the current one. */
export const feedReturns = (proxy: Hex, aggregators: readonly Hex[], description: string) => [
  returns(proxy, 'description', description),
  returns(proxy, 'decimals', 8),
  returns(proxy, 'aggregator', aggregators.at(-1)),
  returns(proxy, 'phaseId', aggregators.length),
  ...aggregators.map((address, index) => returns(proxy, 'phaseAggregators', address, [index + 1])),
]

/** The log of a new answer. Its time is the one of its block. */
export const answerUpdated = (address: Hex, { id, answer }: Round) =>
  log(address, feedEvents, 'AnswerUpdated', { current: answer, roundId: id, updatedAt: 0n })

/** What is there before the first answer. */
export const deployFeed = (): Effects => ({ logs: [], results: feedReturns(feed, [aggregator], 'DETH / USD') })

export const report = (round: Round): Effects => ({ logs: [answerUpdated(aggregator, round)], results: [] })

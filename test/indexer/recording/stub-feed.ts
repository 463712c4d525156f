import type { Hex } from 'viem'
import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, encodeFunctionResult, parseAbi } from 'viem/utils'
import { emitLog, storeResponse } from '../../../demo/replay-contract.ts'
import { readFunctions } from '../../../src/indexer/protocol/contracts/abi-functions.ts'

/*
 * A price feed of our own on a real node: what is sent to the contract that replays, so that it answers as a proxy does, and
 * says what its aggregators say.
 */

type ReadName = (typeof readFunctions)[number] extends infer Item
  ? Item extends { type: 'function'; name: infer Name }
    ? Name
    : never
  : never

const responses = (to: Hex, functionName: ReadName, args: readonly unknown[], result: unknown) => {
  const call = { abi: readFunctions, functionName, args, result } as unknown
  const data = encodeFunctionData(call as Parameters<typeof encodeFunctionData>[0])
  const response = encodeFunctionResult(call as Parameters<typeof encodeFunctionResult>[0])
  return { to, data: storeResponse(data, response), asked: data, result: response }
}

/** Makes a contract a proxy with 8 decimals; the last of its aggregators is the current one. */
export const becomeFeed = (feed: Hex, aggregators: readonly Hex[], description = 'TOKEN / USD') => [
  responses(feed, 'description', [], description),
  responses(feed, 'decimals', [], 8),
  responses(feed, 'aggregator', [], aggregators.at(-1)),
  responses(feed, 'phaseId', [], aggregators.length),
  ...aggregators.map((aggregator, index) => responses(feed, 'phaseAggregators', [index + 1], aggregator)),
]

/** Has a proxy tell a round of the past. */
export const rememberRound = (feed: Hex, phase: bigint, round: bigint, response: bigint, updatedAt: number) => {
  const id = (phase << 64n) | round
  return responses(feed, 'getRoundData', [id], [id, response, BigInt(updatedAt), BigInt(updatedAt), id])
}

const events = parseAbi(['event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)'])

/** Has an aggregator tell a price, in units of its decimals. */
export const tellPrice = (aggregator: Hex, round: bigint, response: bigint) => ({
  to: aggregator,
  data: emitLog({
    topics: encodeEventTopics({
      abi: events,
      eventName: 'AnswerUpdated',
      args: { current: response, roundId: round },
    }) as Hex[],
    data: encodeAbiParameters([{ type: 'uint256' }], [0n]),
  }),
})

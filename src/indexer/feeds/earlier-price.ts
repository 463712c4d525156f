import type { Hex } from 'viem'
import { formatUnits } from 'viem/utils'
import type { ContractReader, ReadResult } from '../protocol/contracts/contract-reader.ts'
import type { FeedSource } from './feed-sources.ts'

/** The first log of a feed that is a price. */
export interface FirstLog {
  aggregator: Hex
  roundId: string
  /** Unix seconds of its block. */
  at: number
}

/** The price in force before the first log of a feed; null if there was none. */
export interface EarlierPrice {
  feed: Hex
  price: {
    /** Unix seconds. */
    at: number
    priceUsd: string
  } | null
}

type RoundData = ReadResult<'getRoundData'>

/** Maximum number of rounds to skip because they have no price, or are unknown. */
const MAX_ROUNDS = 20

/** A proxy's round ID contains the phase, in the bits above those of the aggregator's round. */
const PHASE_BITS = 64n

/** The maximum round ID: it is a `uint80`. */
const ROUND_END = 2n ** 80n

/**
 * The price in force before the first log, from the rounds that the feed stores: that of the round before it; if that
 * log is the first of its phase, the last round of the phase before. Without a log, the price of the newest round.
 * @returns null if there is none.
 */
export async function readEarlierPrice(
  reader: ContractReader,
  { feed, decimals, phaseId, aggregators }: Pick<FeedSource, 'feed' | 'decimals' | 'phaseId' | 'aggregators'>,
  first: FirstLog | undefined,
): Promise<EarlierPrice['price']> {
  const latest = first === undefined ? await reader.read(feed, 'latestRoundData') : undefined
  // An aggregator of many feeds only returns its newest round.
  if (latest !== undefined && isPrice(latest)) return toPrice(latest)
  let round = await startOf()
  for (let rounds = 0; round !== undefined && rounds < MAX_ROUNDS; rounds += 1) {
    if (round.id >= ROUND_END) return null
    const data = await reader.read(feed, 'getRoundData', [round.id])
    if (data !== undefined && isPrice(data)) return toPrice(data)
    round = await before(round)
  }
  return null

  function isPrice([, value, , updatedAt]: RoundData) {
    return value > 0n && updatedAt > 0n && (first === undefined || updatedAt < BigInt(first.at))
  }

  function toPrice([, value, , updatedAt]: RoundData) {
    return { at: Number(updatedAt), priceUsd: formatUnits(value, decimals) }
  }

  async function startOf() {
    if (first !== undefined) {
      const phase = aggregators.find(({ address }) => address === first.aggregator)?.phase ?? 0
      return before(roundOf(phase, BigInt(first.roundId)))
    }
    if (latest !== undefined) return before({ phase: Number(latest[0] >> PHASE_BITS), id: latest[0] })
    // A new aggregator has no round yet.
    return before(roundOf(phaseId + 1, 0n))
  }

  async function before({ phase, id }: ReturnType<typeof roundOf>) {
    if (BigInt.asUintN(Number(PHASE_BITS), id) > 1n) return { phase, id: id - 1n }
    const earlier = aggregators.filter((one) => one.phase < phase && one.phase > 0)
    const last = earlier.sort((one, other) => other.phase - one.phase)[0]
    if (last === undefined) return undefined
    return roundOf(last.phase, (await reader.read(last.address, 'latestRound')) ?? 0n)
  }
}

const roundOf = (phase: number, round: bigint) => ({ phase, id: (BigInt(phase) << PHASE_BITS) | round })

import type { Hex } from 'viem'
import { keccak256, stringToHex } from 'viem/utils'
import type { PlayedBlock, PlayedChain } from './scripted-node.ts'
import { type FeedResponse, initialFeeds, simulatedFeeds } from './simulated-feeds.ts'
import {
  figuresOf,
  type Operation,
  type ProtocolState,
  perform,
  response,
  type SimulatedClaim,
  simulatedChain,
} from './simulated-protocol.ts'

/** What is done together, with the same hash in whichever block. */
interface Transaction {
  hash: Hex
  operations: readonly Operation[]
}

interface MinedClaim extends SimulatedClaim {
  txHash: Hex
  blockNumber: number
}

interface MinedResponse extends FeedResponse {
  at: number
  blockNumber: number
  logIndex: number
}

interface SimulatedBlock extends PlayedBlock {
  responses: MinedResponse[]
  transactions: Transaction[]
  claims: MinedClaim[]
}

const hashOf = (...parts: (string | number)[]): Hex => keccak256(stringToHex(parts.join('/')))

/** Another way than that of the indexer. */
function toDollars(response: bigint, decimals: number) {
  const scale = 10n ** BigInt(decimals)
  const text = `${response / scale}.${String((response % scale) + scale).slice(1)}`
  return text.replace(/\.?0+$/, '')
}

/** A chain on which the protocol is used, in memory. */
export class SimulatedChain implements PlayedChain {
  readonly chainId = simulatedChain.chainId
  readonly blocks: SimulatedBlock[]
  /** Blocks that were taken back, as long as the node still has them. */
  withdrawn: SimulatedBlock[] = []
  /** Of so many blocks below the head contracts can still be asked. */
  readonly keptStates = 16
  readonly startBlock = 100
  private readonly states: ProtocolState[] = [{ campaigns: [], claimFee: 75n, feeds: initialFeeds, timed: [] }]
  private readonly finality: number
  private branch = 0
  private count = 0

  /** @param finality how far below the head blocks are final. */
  constructor(finality: number) {
    this.finality = finality
    const number = this.startBlock - 1
    const [hash, parentHash] = [hashOf('first'), hashOf('before the first')]
    this.blocks = [
      {
        number,
        hash,
        parentHash,
        timestamp: 1000,
        logs: [],
        respondsAs: 0,
        transactions: [],
        claims: [],
        responses: [],
      },
    ]
  }

  get head(): SimulatedBlock {
    const head = this.blocks.at(-1)
    if (head === undefined) throw new Error('a chain has a block')
    return head
  }

  get finalized() {
    return Math.max(this.startBlock - 1, this.head.number - this.finality)
  }

  /**
   * Adds a block.
   * @param done what each of its new transactions does.
   * @param again transactions of blocks that were withdrawn, which come after those.
   */
  mine(done: readonly (readonly Operation[])[], again: readonly Transaction[] = []) {
    const transactions = [
      ...done.map((operations) => ({ hash: hashOf('transaction', this.count++), operations })),
      ...again,
    ]
    const { number: last, hash: parentHash, timestamp: before, respondsAs } = this.head
    const number = last + 1
    // Blocks may come several in a second.
    const timestamp = number % 4 === 0 ? before : before + 2
    const hash = hashOf('block', number, this.branch, parentHash)
    let state = this.stateAt(respondsAs)
    const logs: PlayedBlock['logs'] = []
    const claims: MinedClaim[] = []
    const responses: MinedResponse[] = []
    for (const { hash: transactionHash, operations } of transactions) {
      for (const operation of operations) {
        const outcome = perform(state, operation, timestamp)
        state = outcome.state
        for (const claim of outcome.claims) {
          claims.push({
            ...claim,
            logIndex: logs.length + claim.logIndex,
            txHash: transactionHash,
            blockNumber: number,
          })
        }
        for (const reported of outcome.responses ?? []) {
          // The last log of one that serves many feeds is that which does not count.
          const place = logs.length + outcome.logs.length - (reported.feed === 2 ? 2 : 1)
          responses.push({ ...reported, at: timestamp, blockNumber: number, logIndex: place })
        }
        for (const log of outcome.logs) {
          logs.push({ ...log, transactionHash, logIndex: logs.length, blockNumber: number, blockHash: hash })
        }
      }
    }
    this.states.push(state)
    this.blocks.push({
      number,
      hash,
      parentHash,
      timestamp,
      logs,
      respondsAs: this.states.length - 1,
      transactions,
      claims,
      responses,
    })
  }

  /**
   * Takes the newest blocks back; what is mined from here on is of another branch.
   * @returns the transactions that were in them.
   */
  withdraw(depth: number): Transaction[] {
    const withdrawn = this.blocks.splice(Math.max(1, this.blocks.length - depth))
    this.withdrawn.push(...withdrawn)
    this.branch += 1
    return withdrawn.flatMap(({ transactions }) => transactions)
  }

  /** From here on the node does not know what it has taken back. */
  forget() {
    this.withdrawn = []
  }

  callAt({ respondsAs }: PlayedBlock, to: Hex, data: Hex) {
    return response(this.stateAt(respondsAs), to, data)
  }

  /** What an indexer has to find, from what was done and not from what was said. */
  facts() {
    return {
      figures: figuresOf(this.stateAt(this.head.respondsAs)),
      claims: this.blocks.flatMap(({ claims }) => claims),
      prices: this.prices(),
    }
  }

  /** Prices of each feed, with the one from before the first: what its aggregators have told that it names in the end. */
  private prices() {
    const { named } = this.stateAt(this.head.respondsAs).feeds
    const reported = this.blocks
      .flatMap(({ responses }) => responses)
      .filter(({ feed, aggregator, response }) => response > 0n && named[feed]?.includes(aggregator))
    return simulatedFeeds.flatMap(({ kind, feed: address, decimals }, feed) => {
      const own = reported.filter((price) => price.feed === feed)
      const earlier =
        kind === 'cache'
          ? own.length === 0
            ? [{ response: 900_000_000n, at: 400 }]
            : []
          : [{ response: 700_000_000n, at: 200 }]
      return [...earlier.map((one) => ({ ...one, blockNumber: 0, logIndex: 0 })), ...own].map(
        ({ response, at, blockNumber, logIndex }) => ({
          feed: address,
          at,
          priceUsd: toDollars(response, decimals),
          blockNumber,
          logIndex,
        }),
      )
    })
  }

  /** The figures at the end of a block, whether it is still there or not. */
  figuresAt({ respondsAs }: PlayedBlock) {
    return figuresOf(this.stateAt(respondsAs))
  }

  private stateAt(index: number): ProtocolState {
    const state = this.states[index]
    if (state === undefined) throw new RangeError('there is no such state')
    return state
  }
}

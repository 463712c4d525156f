import type { Hex } from 'viem'
import { keccak256, stringToHex } from 'viem/utils'
import type { PlayedBlock, PlayedChain } from './scripted-node.ts'
import {
  answer,
  type Deed,
  figuresOf,
  type ProtocolState,
  perform,
  type SimulatedClaim,
  simulatedChain,
} from './simulated-protocol.ts'

/** What is done together, with the same hash in whichever block. */
interface Transaction {
  hash: Hex
  deeds: readonly Deed[]
}

interface MinedClaim extends SimulatedClaim {
  txHash: Hex
  blockNumber: number
}

interface SimulatedBlock extends PlayedBlock {
  transactions: Transaction[]
  claims: MinedClaim[]
}

const hashOf = (...parts: (string | number)[]): Hex => keccak256(stringToHex(parts.join('/')))

/** A chain on which the protocol is used, in memory. */
export class SimulatedChain implements PlayedChain {
  readonly chainId = simulatedChain.chainId
  readonly blocks: SimulatedBlock[]
  /** Blocks that were taken back, as long as the node still has them. */
  withdrawn: SimulatedBlock[] = []
  /** Of so many blocks below the head contracts can still be asked. */
  readonly keptStates = 16
  readonly startBlock = 100
  private readonly states: ProtocolState[] = [{ campaigns: [] }]
  private readonly finality: number
  private branch = 0
  private count = 0

  /** @param finality how far below the head blocks are final. */
  constructor(finality: number) {
    this.finality = finality
    const number = this.startBlock - 1
    const [hash, parentHash] = [hashOf('first'), hashOf('before the first')]
    this.blocks = [{ number, hash, parentHash, timestamp: 1, logs: [], answersAs: 0, transactions: [], claims: [] }]
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
  mine(done: readonly (readonly Deed[])[], again: readonly Transaction[] = []) {
    const transactions = [...done.map((deeds) => ({ hash: hashOf('transaction', this.count++), deeds })), ...again]
    const { number: last, hash: parentHash, timestamp, answersAs } = this.head
    const number = last + 1
    const hash = hashOf('block', number, this.branch, parentHash)
    let state = this.stateAt(answersAs)
    const logs: PlayedBlock['logs'] = []
    const claims: MinedClaim[] = []
    for (const { hash: transactionHash, deeds } of transactions) {
      for (const deed of deeds) {
        const outcome = perform(state, deed)
        state = outcome.state
        for (const claim of outcome.claims) {
          claims.push({
            ...claim,
            logIndex: logs.length + claim.logIndex,
            txHash: transactionHash,
            blockNumber: number,
          })
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
      timestamp: timestamp + 2,
      logs,
      answersAs: this.states.length - 1,
      transactions,
      claims,
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

  callAt({ answersAs }: PlayedBlock, to: Hex, data: Hex) {
    return answer(this.stateAt(answersAs), to, data)
  }

  /** What an indexer has to find, from what was done and not from what was said. */
  facts() {
    return {
      figures: figuresOf(this.stateAt(this.head.answersAs)),
      claims: this.blocks.flatMap(({ claims }) => claims),
    }
  }

  /** The figures at the end of a block, whether it is still there or not. */
  figuresAt({ answersAs }: PlayedBlock) {
    return figuresOf(this.stateAt(answersAs))
  }

  private stateAt(index: number): ProtocolState {
    const state = this.states[index]
    if (state === undefined) throw new RangeError('there is no such state')
    return state
  }
}

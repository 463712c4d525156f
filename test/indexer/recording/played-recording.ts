import type { Hex } from 'viem'
import type { PlayedBlock, PlayedChain } from '../simulation/scripted-node.ts'
import { callsOf, logsOf, recording } from './recording.ts'

/** A hash that says what it is of. */
const madeUpHash = (number: number, branch: number): Hex =>
  `0x${branch.toString(16).padStart(8, '0')}${number.toString(16).padStart(56, '0')}`

/** The recorded blocks with those between them, in which nothing happened. */
function recordedBlocks(): PlayedBlock[] {
  const blocks: PlayedBlock[] = []
  for (const recorded of recording.blocks) {
    const { number, hash, parentHash, timestamp } = recorded
    const before = blocks.at(-1)
    for (let between = before === undefined ? number - 1 : before.number + 1; between < number; between += 1) {
      const last = blocks.at(-1)
      blocks.push({
        number: between,
        hash: between === number - 1 ? parentHash : madeUpHash(between, 0),
        parentHash: last?.hash ?? madeUpHash(between - 1, 0),
        timestamp: timestamp - (number - between),
        logs: [],
        respondsAs: between,
      })
    }
    blocks.push({ number, hash, parentHash, timestamp, logs: logsOf([recorded]), respondsAs: number })
  }
  return blocks
}

/** The recording as a chain of which some blocks are final. */
export function playedRecording(finalized: number): PlayedChain {
  const call = callsOf()
  return {
    chainId: recording.chainId,
    blocks: recordedBlocks(),
    finalized,
    callAt: ({ respondsAs }, to, data) => call(respondsAs, to, data),
  }
}

/**
 * A chain on which the recorded transactions happen in blocks of other numbers, as a test wants it, and may be withdrawn
 * and happen again.
 */
export class Playing implements PlayedChain {
  readonly chainId = recording.chainId
  readonly blocks: PlayedBlock[]
  /** How far below the head blocks are final. */
  readonly finality: number
  /** Blocks have whole seconds as their times, whatever lies between them. */
  secondsPerBlock = 2
  private time = 1
  private readonly call = callsOf()
  private branch = 0

  constructor(finality: number) {
    this.finality = finality
    const number = recording.startBlock
    this.blocks = [
      {
        number,
        hash: madeUpHash(number, 0),
        parentHash: madeUpHash(number - 1, 0),
        timestamp: 1,
        logs: [],
        respondsAs: 0,
      },
    ]
  }

  get head(): PlayedBlock {
    const head = this.blocks.at(-1)
    if (head === undefined) throw new Error('a chain has a block')
    return head
  }

  get finalized() {
    return this.head.number - this.finality
  }

  /** Adds a block with the transactions of the next recorded blocks. */
  mine(recordedBlocks: number) {
    const { number: last, hash: parentHash, respondsAs } = this.head
    this.time += this.secondsPerBlock
    const next = recording.blocks.filter(({ number }) => number > respondsAs).slice(0, recordedBlocks)
    const number = last + 1
    const hash = madeUpHash(number, this.branch)
    this.blocks.push({
      number,
      hash,
      parentHash,
      timestamp: Math.floor(this.time),
      logs: logsOf(next).map((log, logIndex) => ({ ...log, logIndex, blockNumber: number, blockHash: hash })),
      respondsAs: next.at(-1)?.number ?? respondsAs,
    })
  }

  /** Takes the newest blocks back; what is mined from here on is of another branch. */
  withdraw(depth: number) {
    this.blocks.splice(Math.max(1, this.blocks.length - depth))
    this.branch += 1
  }

  callAt({ respondsAs }: PlayedBlock, to: Hex, data: Hex) {
    return this.call(respondsAs, to, data)
  }
}

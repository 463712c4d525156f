import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../../src/indexer/protocol/boost-core/protocol-events.ts'
import { readClaims } from '../../../src/indexer/protocol/boost-core/transaction-claims.ts'

const core: Hex = `0x${'c0'.repeat(20)}`
const first: Hex = `0x${'11'.repeat(20)}`
const second: Hex = `0x${'22'.repeat(20)}`
const claimant: Hex = `0x${'aa'.repeat(20)}`
const blockHash: Hex = `0x${'bb'.repeat(32)}`
const transactionHash: Hex = `0x${'dd'.repeat(32)}`

/** A campaign with two incentives. */
const places = {
  campaignIdOf: (_: Hex, boostId: bigint) => `1:${core}:${boostId}`,
  incentiveAt: (id: string, position: number) => (id === `1:${core}:7` ? [first, second][position] : undefined),
  campaignOf: (incentive: Hex) => ([first, second].includes(incentive) ? `1:${core}:7` : undefined),
}

const claimed = (incentive: Hex, amount: string | null): [Hex, Message] => [incentive, { type: 'Claimed', amount }]
const entry = (incentive: Hex): [Hex, Message] => [incentive, { type: 'Entry' }]
const toppedUp = (incentive: Hex): [Hex, Message] => [incentive, { type: 'ToppedUp' }]
const boostClaimed = (incentiveId: bigint): [Hex, Message] => [
  core,
  { type: 'BoostClaimed', boostId: 7n, incentiveId, claimant, referrer: claimant, data: '0x' },
]
const clawedBack = (incentiveId: bigint): [Hex, Message] => [
  core,
  { type: 'Clawback', boostId: 7n, incentiveId, caller: claimant, receiver: claimant, amount: 1n, asset: first },
]

function read(...reported: [Hex, Message][]) {
  const logs = reported.map(([address, message], logIndex) => ({
    ...message,
    log: { address, topics: [], data: '0x' as const, blockNumber: 5, blockHash, transactionHash, logIndex },
  }))
  const { claims, affects } = readClaims(logs, places)
  return {
    claims: claims.map((claim) => [claim.incentiveIndex, claim.amount, claim.logIndex]),
    touched: affects.map(({ campaignId }) => campaignId),
  }
}

describe('the amount of a claim', () => {
  test('is what its incentive paid last before it', () => {
    const { claims } = read(claimed(first, '1'), claimed(second, '2'), boostClaimed(1n), boostClaimed(0n))
    expect(claims).toEqual([
      [1, '2', 2],
      [0, '1', 3],
    ])
  })

  test('is taken once: several claims of one incentive each have their own', () => {
    const { claims } = read(
      claimed(first, '1'),
      boostClaimed(0n),
      claimed(first, '2'),
      boostClaimed(0n),
      boostClaimed(0n),
    )
    expect(claims).toEqual([
      [0, '1', 1],
      [0, '2', 3],
      [0, '0', 4],
    ])
  })

  test('is not what was clawed back before, through the core or past it', () => {
    expect(read(claimed(first, '9'), clawedBack(0n), claimed(first, '1'), boostClaimed(0n)).claims).toEqual([
      [0, '1', 3],
    ])
    expect(read(claimed(first, '9'), clawedBack(0n), boostClaimed(0n)).claims).toEqual([[0, '0', 2]])
    expect(read(claimed(first, '9'), claimed(first, '1'), boostClaimed(0n)).claims).toEqual([[0, '1', 2]])
  })

  test('is 0 of an entry, also where the raffle was drawn before, and where nothing was paid', () => {
    expect(read(claimed(first, '9'), entry(first), boostClaimed(0n)).claims).toEqual([[0, '0', 2]])
    expect(read(boostClaimed(1n)).claims).toEqual([[1, '0', 0]])
    expect(read(claimed(first, null), boostClaimed(0n)).claims).toEqual([[0, '0', 1]])
  })
})

test('a draw, a top-up and a claw-back are no claims, and touch the campaign', () => {
  for (const reported of [[claimed(first, '1')], [toppedUp(second)], [claimed(first, '1'), clawedBack(0n)]]) {
    expect(read(...reported)).toEqual({ claims: [], touched: [`1:${core}:7`] })
  }
})

test('what contracts emit that belong to no campaign touches nothing and pays nothing', () => {
  const stranger: Hex = `0x${'99'.repeat(20)}`
  expect(read(claimed(stranger, '1'), toppedUp(stranger), entry(stranger))).toEqual({ claims: [], touched: [] })
  expect(read(claimed(stranger, '5'), boostClaimed(0n)).claims).toEqual([[0, '0', 1]])
})

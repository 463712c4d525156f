import { expect, test } from 'vitest'
import type { ChainProof } from '../../../src/indexer/proof/chain-proof.ts'
import { proveRegularly } from '../../../src/indexer/proof/proof-schedule.ts'

test('comparisons take at most 5 % of the calls since the last one, or three, and a part of all counters each time', async () => {
  const ending = new AbortController()
  const parts: Parameters<ChainProof['prove']>[0][] = []
  const calls = [1000, 1000, 1000, 1010, 1010, 3010, 3010]
  const proof = {
    async prove(part: (typeof parts)[number]) {
      parts.push(part)
      if (parts.length === 3) ending.abort()
      return {
        block: 1,
        campaigns: 0,
        claims: 0,
        uncountedCampaigns: 0,
        uncountedClaims: 0,
        differences: 0,
        differing: [],
      }
    },
  }
  const callCount = () => calls.shift() ?? 0
  await proveRegularly(proof, { recentMs: 6, allMs: 60 }, callCount, () => undefined, ending.signal)
  expect(parts).toEqual([
    { share: 0.1, limit: 50 },
    { share: 0.1, limit: 3 },
    { share: 0.1, limit: 3 },
  ])
})

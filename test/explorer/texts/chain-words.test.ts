import type { ChainStatus } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { blocksBehind, proofInWords, stateInWords } from '../../../packages/explorer/src/chains/chain-text.ts'

const aChain = (parts: Partial<ChainStatus>): ChainStatus => ({
  chainId: 8453,
  asOfBlock: '100',
  asOfBlockHash: `0x${'1'.repeat(64)}`,
  asOfTime: '2026-03-01T11:59:58.000Z',
  headBlock: '100',
  finalizedBlock: '90',
  lagSeconds: 2,
  state: 'following',
  contractVersion: null,
  unvaluedClaims24h: 0,
  provenBlock: null,
  provenAt: null,
  provenCampaigns: null,
  provenClaims: null,
  differences: 0,
  ...parts,
})

test.each([
  [{}, 0n, /includes the newest block/],
  [{ headBlock: '102' }, 2n, /at most two blocks behind/],
  [{ headBlock: '99' }, 0n, /includes the newest block/],
  [{ headBlock: '1334', state: 'behind' }, 1234n, /1,234 blocks behind the newest/],
  [{ state: 'behind' }, 0n, /has not reported/],
  [{ state: 'behind', headBlock: null }, undefined, /has not reported/],
  [{ state: 'back-filling', asOfBlock: null }, undefined, /first time; .* appear when that is done/],
  [{ state: 'back-filling' }, 0n, /backfilled again; .* does not change/],
] as const)('a chain with %o is explained', (parts, behind, words) => {
  expect(blocksBehind(aChain(parts))).toBe(behind)
  expect(stateInWords(aChain(parts))).toMatch(words)
})

test('what the contracts count is told in a sentence, once it was compared', () => {
  expect(proofInWords(aChain({}))).toBeUndefined()
  const proven = { provenBlock: '38400600', provenAt: '2026-03-01T11:58:00.000Z', provenCampaigns: 12431 }
  expect(proofInWords(aChain({ ...proven, provenClaims: 1204331 }))).toBe(
    '12,431 campaigns and 1,204,331 claims were counted against the contracts as of block 38,400,600: 0 counts differ.',
  )
  expect(proofInWords(aChain({ ...proven, provenClaims: 1, differences: 1 }))).toMatch(/: 1 count differs\.$/)
})

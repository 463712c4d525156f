import type { ChainStatus } from 'reward-campaigns-client'
import { groupDigits } from '../texts/format-numbers.ts'

/** The state of a chain as a title. */
export const STATE_TITLES: Readonly<Record<ChainStatus['state'], string>> = {
  following: 'Up to date',
  behind: 'Behind',
  'back-filling': 'Being read',
}

/** How many blocks the responses are behind the newest block; absent where either is unknown. */
export function blocksBehind({ asOfBlock, headBlock }: ChainStatus): bigint | undefined {
  if (asOfBlock === null || headBlock === null) return undefined
  const behind = BigInt(headBlock) - BigInt(asOfBlock)
  return behind > 0n ? behind : 0n
}

/** What the state of a chain means for who reads the figures. */
export function stateInWords(chain: ChainStatus): string {
  const { state, asOfBlock } = chain
  const behind = blocksBehind(chain)
  if (state === 'back-filling') {
    return asOfBlock === null
      ? 'The chain is being backfilled for the first time; its campaigns appear when that is done.'
      : 'The chain is being backfilled again; the data does not change until that is done.'
  }
  if (state === 'following') {
    return behind === 0n
      ? 'The data includes the newest block.'
      : 'The data is at most two blocks behind the newest block.'
  }
  return behind !== undefined && behind > 2n
    ? `The data is ${groupDigits(String(behind))} blocks behind the newest block.`
    : 'The indexer has not reported for a while, so the data may be outdated.'
}

/** What the contracts' own counts say of the data; absent where they were not compared yet. */
export function proofInWords({ provenBlock, provenCampaigns, provenClaims, differences }: ChainStatus) {
  if (provenBlock === null) return undefined
  const [campaigns, claims, block] = [provenCampaigns ?? 0, provenClaims ?? 0, provenBlock].map((number) =>
    groupDigits(String(number)),
  )
  const differing = differences === 1 ? '1 count differs' : `${groupDigits(String(differences))} counts differ`
  return `${campaigns} campaigns and ${claims} claims were counted against the contracts as of block ${block}: ${differing}.`
}

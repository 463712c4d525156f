import type { ChainStatus } from 'reward-campaigns-client'
import { groupDigits } from '../rounded.ts'

/** The state of a chain as a title. */
export const STATE_TITLES: Readonly<Record<ChainStatus['state'], string>> = {
  following: 'Up to date',
  behind: 'Behind',
  'back-filling': 'Being read',
}

/** How many blocks the answers are behind the newest block; absent where either is unknown. */
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
      ? 'The chain is read from its start for the first time; until that is done, nothing of it is shown.'
      : 'The chain is read from its start again; until that is done, figures stay as they are.'
  }
  if (state === 'following') {
    return behind === 0n
      ? 'Figures show everything up to the newest block.'
      : 'Figures are at most two blocks behind the newest, and catch up by themselves.'
  }
  return behind !== undefined && behind > 2n
    ? `Figures are ${groupDigits(String(behind))} blocks behind the newest: they are right, but of an earlier time.`
    : 'Nothing has been heard of the chain for a while: figures are right, but of an earlier time.'
}

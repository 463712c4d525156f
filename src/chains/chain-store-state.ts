import type pg from 'pg'
import type { Hex } from 'viem'
import type { BlockReference } from './block-links.ts'
import type { FollowedState } from './following-steps.ts'

/** Somebody else has written of the same chain: what this process knows of it is of the past. */
export class ChainMovedError extends Error {
  override readonly name = 'ChainMovedError'
}

/** What is found again where a chain is read again. */
export const tablesOfChain = [
  'followed_blocks',
  'followed_campaigns',
  'back_filled_claims',
  'unknown_components',
  'left_out_campaigns',
]

/** What another connection has left. */
export async function readStored(client: pg.Client, chainId: number): Promise<{ step: number; state: FollowedState }> {
  const { rows } = await client.query<{
    step: string
    isBackFilling: boolean
    backFilledTo: string
    backFilledHash: Hex | null
    window: BlockReference[] | null
  }>(
    `select step, is_back_filling as "isBackFilling", back_filled_to as "backFilledTo",
      back_filled_hash as "backFilledHash", (
      select json_agg(json_build_object('number', number, 'hash', hash) order by number) from followed_blocks
      where followed_blocks.chain_id = followed_chains.chain_id
    ) as window
    from followed_chains where chain_id = $1`,
    [chainId],
  )
  const [stored] = rows
  if (stored === undefined) throw new ChainMovedError(`chain ${chainId} is not followed any more`)
  const window = stored.window ?? []
  return {
    step: Number(stored.step),
    state: {
      asOf: stored.isBackFilling ? null : (window.at(-1) ?? null),
      window,
      backFilledTo: Number(stored.backFilledTo),
      backFilledHash: stored.backFilledHash,
    },
  }
}

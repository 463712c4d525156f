import type { TestDatabase } from '../database.ts'

/** A chain as the indexer leaves it after a step; with no block where it is still read from its start. */
export const setFollowed = (
  database: TestDatabase,
  chainId: number,
  asOfBlock: number | null,
  more: Record<string, unknown> = {},
) => {
  const columns: Record<string, unknown> = {
    chain_id: chainId,
    cores: '{}',
    start_block: 0,
    is_back_filling: asOfBlock === null,
    back_filled_to: asOfBlock ?? 0,
    as_of_block: asOfBlock,
    as_of_block_hash: asOfBlock === null ? null : `0x${'1'.repeat(64)}`,
    as_of_at: asOfBlock === null ? null : '2026-03-01T11:59:58Z',
    ...more,
  }
  const names = Object.keys(columns)
  const places = names.map((_, index) => `$${index + 1}`)
  return database.query(
    `insert into followed_chains (${names}) values (${places})
    on conflict (chain_id) do update set ${names.map((name) => `${name} = excluded.${name}`)}`,
    Object.values(columns),
  )
}

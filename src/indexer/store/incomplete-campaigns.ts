import type pg from 'pg'
import { fixedKeys } from '../protocol/protocols.ts'

/** Maximum number of incomplete campaigns that are read again with one block, besides those that it touches. */
const MAX_DUE = 20

/**
 * The campaigns of a chain that an earlier version has stored without something that is fixed, without the state of
 * an auction, which is read with them again, or with a component of a kind that it did not know. They are due in turn: some may stay incomplete.
 */
export async function findIncomplete(client: pg.Client, chainId: number) {
  const { rows } = await client.query<{ id: string }>(
    `select id from followed_campaigns, json_to_recordset($2) as protocol (name text, keys json)
    where chain_id = $1 and origin ->> 'protocol' = name
      and exists (select from json_array_elements_text(keys) as fixed (key) where origin -> key is null)
    union
    select campaigns.id from incentives join incentive_traits using (type) join campaigns on key = campaign_key
    where incentive_traits.reward = 'auction' and auction is null and campaigns.chain_id = $1
    union
    select campaign_id from unknown_components join followed_campaigns on id = campaign_id
    where unknown_components.chain_id = $1`,
    [chainId, JSON.stringify(fixedKeys)],
  )
  const ids = new Set(rows.map(({ id }) => id))
  return {
    due() {
      const due = [...ids].slice(0, MAX_DUE)
      for (const id of due) {
        ids.delete(id)
        ids.add(id)
      }
      return due
    },
    /** They have been read again, or are no longer there. */
    drop(read: readonly string[]) {
      for (const id of read) ids.delete(id)
    },
    clear: () => ids.clear(),
  }
}

export type IncompleteCampaigns = Awaited<ReturnType<typeof findIncomplete>>

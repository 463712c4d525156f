import type pg from 'pg'

/** Maximum number that are read again with one block, besides those that it touches. */
const MAX_AT_ONCE = 20

/**
 * The campaigns of a chain that an earlier version has stored without something that is fixed, or without the state of an auction: it
 * is asked once they are read again. They are looked for when the store is opened, since this version asks all of it.
 */
export async function findIncomplete(client: pg.Client, chainId: number) {
  const { rows } = await client.query<{ id: string }>(
    `select id from followed_campaigns where chain_id = $1 and origin -> 'maxClaimsPerClaimant' is null
    union
    select campaigns.id from incentives join campaigns on key = campaign_key
    where type = 'CGDAIncentive' and auction is null and campaigns.chain_id = $1`,
    [chainId],
  )
  const ids = new Set(rows.map(({ id }) => id))
  return {
    /** Those to read with the next block. */
    due: () => [...ids].slice(0, MAX_AT_ONCE),
    /** Campaigns that have been read, or no longer exist. */
    forget(gone: Iterable<string>) {
      for (const id of gone) ids.delete(id)
    },
    forgetAll: () => ids.clear(),
  }
}

export type Incomplete = Awaited<ReturnType<typeof findIncomplete>>

import type { FollowedChain } from '../database/lookups/followed-chains.ts'
import type { Query } from '../database/snapshot.ts'
import { type Finding, failed, ok, warning } from '../schemas/check-findings.ts'

/** A chain with a longer lag fails the check. */
const LONGEST_LAG_SECONDS = 600

export function examineChains(chains: readonly FollowedChain[]): Finding {
  if (chains.length === 0) return ok('no chain is indexed')
  const describe = ({ chainId, state, lagSeconds }: FollowedChain) =>
    `chain ${chainId} is ${state}${lagSeconds === null ? '' : `, ${lagSeconds} s late`}`
  const late = chains.filter(({ state }) => state !== 'following')
  if (late.length === 0) return ok(chains.map(describe).join('; '))
  const advice = 'see that `reward-campaigns index --chains FILE` runs, and what its log says of these chains'
  const isLost = late.some(({ state, lagSeconds }) => state === 'behind' && (lagSeconds ?? 0) > LONGEST_LAG_SECONDS)
  return (isLost ? failed : warning)(late.map(describe).join('; '), advice)
}

/** Records for campaigns that do not exist. */
export async function examineOrphans(query: Query): Promise<Finding> {
  const [row] = await query<{ claims: number; signatures: number; metadata: number }>(
    `select
      (select count(*) from back_filled_claims join followed_chains using (chain_id) where not is_back_filling)::integer as claims,
      (select count(*) from detached_claim_signatures)::integer as signatures,
      (select count(*) from campaign_metadata metadata
        where not exists (select from campaigns where campaigns.id = metadata.id))::integer as metadata`,
  )
  const { claims = 0, signatures = 0, metadata = 0 } = row ?? {}
  if (claims === 0 && signatures === 0) {
    return ok(
      metadata === 0
        ? 'no metadata, claims or signatures without a campaign'
        : `metadata of ${metadata} campaigns is here before them`,
    )
  }
  return warning(
    `${claims} claims and ${signatures} claim signatures wait for campaigns that are not there`,
    'nothing as long as a chain is read again; else see `reward-campaigns index --status` for what is of no known kind',
  )
}

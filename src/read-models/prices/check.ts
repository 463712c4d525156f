import type { Query } from '../../database/connection/snapshot.ts'
import { comparing, type DataCheck, type Sample, within } from '../../database/find-data-differences.ts'
import { ok } from '../../schemas/check-findings.ts'

/** Claims whose value differs from the prices, although their records have none. */
const differingValues = (sample: Sample) => `
  select (select id from campaigns where key = campaign_key) || ', claim ' || encode(tx_hash, 'hex') || ' ' || log_index as what
  from claims claim
  join incentives incentive using (campaign_key)
  cross join lateral derived_claim_value(incentive.chain_id, asset, claim.amount, claim.block_timestamp) due
  where position = incentive_position and (is_value_derived or claim.amount_usd is null)
    and claim.amount_usd is distinct from due.amount_usd and ${within(sample, 'campaign_key')}`

/** Tokens whose current price differs from the rule. */
const differingPrices = () => `
  select 'token ' || chain_id || ':' || address as what
  from tokens left join lateral token_price_at(chain_id, address, 'infinity') due on true
  where (tokens.price_usd, base_unit_price_usd)
    is distinct from (due.price_usd, due.price_usd * ('1e-' || decimals)::numeric)`

const MAX_NAMED = 10

/** The tokens without which claims of the last day have no value, those with most claims first; undefined if all have one. */
async function describeUnvaluedClaims(query: Query) {
  const rows = await query<{ token: string; claims: number; total: number }>(
    `select chain_id || ':' || asset as token, claims, (sum(claims) over ())::float8 as total
    from (
      select incentive.chain_id, asset, count(*)::float8 as claims
      from claims claim join incentives incentive using (campaign_key)
      where position = incentive_position and claim.amount_usd is null and is_value_derived
        and claim.block_timestamp > extract(epoch from now())::bigint - 86400
      group by incentive.chain_id, asset
    ) unvalued
    order by claims desc, token limit ${MAX_NAMED}`,
  )
  const [first] = rows
  if (first === undefined) return undefined
  const tokens = rows.map(({ token, claims }) => `${token} (${claims})`).join(', ')
  return `${first.total} claims of the last 24 hours have no value in US dollars for lack of prices or decimals, of ${tokens}: import token and tokenPrice records, or name a feed in the chain file`
}

const compare = comparing({ 'values of claims': differingValues, 'prices of tokens': differingPrices })

export const examinePrices: DataCheck = async (query, sample) => {
  const finding = await compare(query, sample)
  // Not an error in the data: the operator may have no price.
  const unvalued = finding.state === 'ok' ? await describeUnvaluedClaims(query) : undefined
  return unvalued === undefined ? finding : ok(`${finding.found}; ${unvalued}`)
}

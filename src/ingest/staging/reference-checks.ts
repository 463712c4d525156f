import type { StagedKind } from '../../read-models/steps.ts'
import { isProof } from '../../schemas/payloads/claim-proofs.ts'
import type { Query } from '../batch-connection.ts'
import type { StagedType } from '../records.ts'
import { ImportFaultsError, MAX_REPORTED, ValidationErrors } from '../validation-errors.ts'
import { fromLineId, isSameClaim, stagingName } from './staging.ts'

/*
 * References that need more than one record to check. Each check finds the records that refer to something neither
 * stored nor in the call, and their positions; they run on the staging tables, before anything is written.
 */

const isProofOf = (table: 'staged_claim' | 'staged_claimsignature') =>
  table === 'staged_claim' ? 'false' : isProof('source.signature')

const claimedIncentive = (table: 'staged_claim' | 'staged_claimsignature', key: 'incentiveIndex' | 'incentiveId') => `
  select source.line_id,
    case when named.id is null and stored.key is null or ${isProofOf(table)} then '/campaignId' else '/${key}' end as pointer,
    case when named.id is null and stored.key is null
      then 'refers to campaign ' || source.campaign_id || ', which is neither stored nor in the call'
      else 'refers to incentive ' || source.incentive_position || ', which the campaign does not have' end as message
  from ${table} source
  left join staged_campaign named on named.id = source.campaign_id
  left join campaigns stored on stored.id = source.campaign_id
    and not exists (select from withdrawn_campaign withdrawn where withdrawn.id = source.campaign_id)
  where source.is_removed is null and case
    when named.id is not null then source.incentive_position <> all (named.incentive_positions)
    else not exists (
      select from incentives where campaign_key = stored.key and position = source.incentive_position) end`

/**
 * In materialized subqueries: the planner might otherwise compare positions before campaigns, which is every record with
 * every other.
 */
const revertedIncentive = (table: 'claims' | 'claim_signatures', what: string, exception = '') => `
  with shrunk as materialized (
    select campaign.line_id, campaign.incentive_positions, campaign.id as campaign_id, stored.key, stored.chain_id
    from staged_campaign campaign
    join campaigns stored on stored.id = campaign.id
    where exists (
      select from incentives where campaign_key = stored.key and position <> all (campaign.incentive_positions))
  ), withdrawn as materialized (
    select shrunk.line_id, shrunk.incentive_positions, shrunk.campaign_id, shrunk.chain_id as followed_chain_id, recorded.*
    from shrunk
    join ${table} recorded on recorded.campaign_key = shrunk.key
      and recorded.incentive_position <> all (shrunk.incentive_positions)
  )
  select line_id, '/incentives' as pointer,
    'has ' || cardinality(incentive_positions) || ' incentives, but ${what} of incentive ' || max(incentive_position) || ' are stored' as message
  from withdrawn ${exception}
  group by line_id, incentive_positions`

const unknownTemplate = (of: StagedType, template: string) => ({
  of,
  sql: `select line_id, '/actionTemplateId',
    'refers to action template ' || template || ', which is neither stored nor in the call'
  from ${stagingName(of)}, lateral (select ${template} as template) named
  where template is not null
    and not exists (select from staged_actiontemplate where id = template and is_removed is null)
    and not exists (select from action_templates where id = template)`,
})

const unknownAccessList = (of: StagedType, list: string, pointer: string) => ({
  of,
  sql: `select line_id, '${pointer}', 'refers to access list ' || list || ', which is neither stored nor in the call'
  from ${stagingName(of)}, lateral (select ${list} as list) named
  where list is not null
    and not exists (select from staged_accesslist where id = list and is_removed is null)
    and not exists (select from access_lists where id = list)`,
})

/** Set on a connection to the ID of the chain that it follows, whose facts it may therefore write. */
export const FOLLOWS = 'reward_campaigns.follows'

/** Two who write the same facts would never agree. */
const ofFollowedChain = (of: StagedKind, pointer: string, source: string, exception = '') => ({
  of,
  sql: `select line_id, '${pointer}', 'is of chain ' || chain_id || ', which is followed by index and not imported: '
    || 'only what no chain tells of a campaign can be, as campaignMetadata'
  from ${source} join followed_chains using (chain_id)
  where chain_id::text is distinct from current_setting('${FOLLOWS}', true) ${exception}`,
})

const withdrawnCampaigns = `(select line_id, split_part(id, ':', 1)::bigint as chain_id from withdrawn_campaign) withdrawn`

const checks: readonly { of: StagedKind; sql: string }[] = [
  ofFollowedChain('campaign', '/id', 'staged_campaign'),
  ofFollowedChain('claim', '/campaignId', 'staged_claim'),
  ofFollowedChain('withdrawnCampaign', '/id', withdrawnCampaigns),
  ofFollowedChain('withdrawnClaim', '/chainId', 'withdrawn_claim'),
  ofFollowedChain(
    'token',
    '/address',
    'staged_token removed join tokens using (chain_id, address)',
    'and is_removed and not is_imported',
  ),
  unknownTemplate('campaign', 'action_template_id'),
  unknownTemplate('campaignMetadata', `(chosen ->> 'action_template_id')::uuid`),
  unknownAccessList('campaign', 'access_list_id', '/allowList/accessListId'),
  unknownAccessList('campaignMetadata', `chosen ->> 'access_list_id'`, '/accessListId'),
  {
    of: 'campaign',
    // A claim that is replaced in the same call may leave the incentive.
    sql: revertedIncentive(
      'claims',
      'claims',
      `where not exists (select from staged_claim claim where ${isSameClaim('claim', 'withdrawn')})
      and not exists (select from withdrawn_claim claim where ${isSameClaim('claim', 'withdrawn')})`,
    ),
  },
  {
    of: 'campaign',
    sql: revertedIncentive(
      'claim_signatures',
      'signatures',
      `where not exists (select from followed_chains where chain_id = withdrawn.followed_chain_id)
      and not exists (select from staged_claimsignature removed where is_removed and campaign_id = withdrawn.campaign_id
        and claimant = withdrawn.claimant and incentive_position = withdrawn.incentive_position)`,
    ),
  },
  {
    of: 'tokenPrice',
    sql: `select line_id, '/at', 'is in the future' from staged_tokenprice
      where at > clock_timestamp() and is_removed is null`,
  },
  { of: 'claim', sql: claimedIncentive('staged_claim', 'incentiveIndex') },
  { of: 'claimSignature', sql: claimedIncentive('staged_claimsignature', 'incentiveId') },
  {
    of: 'claimSignature',
    sql: `select line_id,
      case when is_proof then '/campaignId' else '/incentiveId' end,
      case when is_proof then 'refers to campaign ' || campaign_id || ', which pays nothing by a proof'
        else 'refers to incentive ' || incentive_position || ', which is claimed by a claimProof' end
    from (
      select source.*, ${isProof('source.signature')} as is_proof, coalesce(
        named.incentives -> (array_position(named.incentive_positions, source.incentive_position) - 1) ->> 'type',
        (select incentives.type from campaigns join incentives on incentives.campaign_key = campaigns.key
          where campaigns.id = source.campaign_id and incentives.position = source.incentive_position)) as type
      from staged_claimsignature source left join staged_campaign named on named.id = source.campaign_id
      where source.is_removed is null
    ) signed
    join incentive_traits traits using (type)
    where is_proof <> (traits.reward = 'proof')`,
  },
  {
    of: 'withdrawnCampaign',
    sql: `select withdrawn_campaign.line_id, '/id', 'campaign ' || campaigns.id || ' still has claims'
  from withdrawn_campaign join campaigns using (id)
  where exists (
    select from claims recorded where recorded.campaign_key = campaigns.key
      and not exists (select from withdrawn_claim withdrawn where ${isSameClaim('withdrawn', 'recorded')})
      and not exists (select from staged_claim claim where ${isSameClaim('claim', 'recorded')}))`,
  },
  {
    of: 'withdrawnCampaign',
    // Signatures of a campaign that its chain has reverted are stored until it returns.
    sql: `select withdrawn_campaign.line_id, '/id', 'campaign ' || campaigns.id || ' still has signatures'
  from withdrawn_campaign join campaigns using (id)
  where withdrawn_campaign.is_removed and exists (
    select from claim_signatures recorded where recorded.campaign_key = campaigns.key
      and not exists (select from staged_claimsignature removed where removed.is_removed and campaign_id = campaigns.id
        and removed.claimant = recorded.claimant and removed.incentive_position = recorded.incentive_position))`,
  },
]

/** What campaigns refer to, by their records or on their chain: whether one still does is known once all others are as the records say. */
const referred: readonly { of: StagedType; table: string; column: string; isReferred: string }[] = [
  {
    of: 'actionTemplate',
    table: 'action_templates',
    column: 'action_template_id',
    isReferred: 'exists (select from campaigns where action_template_id = removed.id)',
  },
  {
    of: 'accessList',
    table: 'access_lists',
    column: 'access_list_id',
    isReferred: `removed.id in (
      select unnest(array[access_list_id] || allowed_list_ids || denied_list_ids) from allow_lists)`,
  },
]

/** The first faulty references in the order of the input, each with the number of all; undefined if nothing refers. */
export function firstFaultsSql(stagedKinds: ReadonlySet<StagedKind>) {
  const faulty = checks.filter(({ of }) => stagedKinds.has(of)).map(({ sql }) => `(${sql})`)
  if (faulty.length === 0) return undefined
  return `select line_id, pointer, message, count(*) over () as total
    from (${faulty.join(' union all ')}) faults (line_id, pointer, message) order by line_id limit ${MAX_REPORTED}`
}

/** A row of that result. */
interface ReferenceFault {
  line_id: string
  pointer: string
  message: string
  total: string
}

/**
 * Checks that everything staged refers to something that exists.
 * @throws ImportFaultsError with the first faults and the number of all.
 */
export async function checkReferences(query: Query, stagedKinds: ReadonlySet<StagedKind>, files: readonly string[]) {
  const sql = firstFaultsSql(stagedKinds)
  if (sql !== undefined) await requireNoFaults(query, sql, files)
}

/**
 * Removes what campaigns refer to, where none does any more; metadata may decide on a campaign that is still to come.
 * @throws ImportFaultsError where one does.
 */
export async function removeReferred(query: Query, stagedKinds: ReadonlySet<StagedKind>, files: readonly string[]) {
  for (const { of, table, column, isReferred } of referred) {
    if (!stagedKinds.has(of)) continue
    const removed = `from ${stagingName(of)} removed where is_removed`
    await requireNoFaults(
      query,
      `select line_id, '/id' as pointer, 'is still referred to by a campaign' as message, count(*) over () as total
      ${removed} and (${isReferred} or exists (
        select from campaign_metadata where removed.id::text in (chosen ->> '${column}', own ->> '${column}')))
      order by line_id limit ${MAX_REPORTED}`,
      files,
    )
    await query(`delete from ${table} where id in (select id ${removed})`)
  }
}

async function requireNoFaults(query: Query, sql: string, files: readonly string[]) {
  const { rows } = await query<ReferenceFault>(sql)
  if (rows.length === 0) return
  const faults = new ValidationErrors()
  faults.referencesChecked = true
  for (const { line_id: lineId, pointer, message } of rows) {
    const { file, line } = fromLineId(Number(lineId))
    faults.add({ file: files[file] ?? '', line, pointer, message })
  }
  faults.count = Number(rows[0]?.total)
  throw new ImportFaultsError(faults)
}

import { readStatements } from '../../read-models/named-statements.ts'
import type { StagedKind } from '../../read-models/steps.ts'
import type { Query } from '../batch-connection.ts'
import type { StagedType } from '../records.ts'
import { ImportFaultsError, MAX_REPORTED, ValidationErrors } from '../validation-errors.ts'
import { fromLineId } from './staging.ts'

/*
 * References that need more than one record to check. Each check finds the records that refer to something neither
 * stored nor in the call, and their positions; they run on the staging tables, before anything is written.
 */

/** Set on a connection to the ID of the chain that it follows, whose facts it may therefore write. */
export const FOLLOWS = 'reward_campaigns.follows'

const statements = readStatements(
  'ingest/staging/reference-checks.sql',
  ...(['campaignOfFollowedChain', 'claimOfFollowedChain', 'withdrawnCampaignOfFollowedChain'] as const),
  ...(['withdrawnClaimOfFollowedChain', 'removedTokenOfFollowedChain'] as const),
  ...(['unknownTemplateOfCampaign', 'unknownTemplateOfMetadata'] as const),
  ...(['unknownAccessListOfCampaign', 'unknownAccessListOfMetadata'] as const),
  ...(['claimsOfLostIncentive', 'signaturesOfLostIncentive', 'priceInTheFuture'] as const),
  ...(['unknownIncentiveOfClaim', 'unknownIncentiveOfSignature', 'otherKindOfSignature'] as const),
  ...(['claimsOfWithdrawnCampaign', 'signaturesOfWithdrawnCampaign'] as const),
  ...(['referredTemplates', 'deleteTemplates', 'referredAccessLists', 'deleteAccessLists'] as const),
)

/** For which kind each check is made. */
const checks: readonly { of: StagedKind; sql: string }[] = [
  { of: 'campaign', sql: statements.campaignOfFollowedChain },
  { of: 'claim', sql: statements.claimOfFollowedChain },
  { of: 'withdrawnCampaign', sql: statements.withdrawnCampaignOfFollowedChain },
  { of: 'withdrawnClaim', sql: statements.withdrawnClaimOfFollowedChain },
  { of: 'token', sql: statements.removedTokenOfFollowedChain },
  { of: 'campaign', sql: statements.unknownTemplateOfCampaign },
  { of: 'campaignMetadata', sql: statements.unknownTemplateOfMetadata },
  { of: 'campaign', sql: statements.unknownAccessListOfCampaign },
  { of: 'campaignMetadata', sql: statements.unknownAccessListOfMetadata },
  { of: 'campaign', sql: statements.claimsOfLostIncentive },
  { of: 'campaign', sql: statements.signaturesOfLostIncentive },
  { of: 'tokenPrice', sql: statements.priceInTheFuture },
  { of: 'claim', sql: statements.unknownIncentiveOfClaim },
  { of: 'claimSignature', sql: statements.unknownIncentiveOfSignature },
  { of: 'claimSignature', sql: statements.otherKindOfSignature },
  { of: 'withdrawnCampaign', sql: statements.claimsOfWithdrawnCampaign },
  { of: 'withdrawnCampaign', sql: statements.signaturesOfWithdrawnCampaign },
]

/** What campaigns refer to: whether one still does is known once all others are as the records say. */
const referred: readonly { of: StagedType; check: string; remove: string }[] = [
  { of: 'actionTemplate', check: statements.referredTemplates, remove: statements.deleteTemplates },
  { of: 'accessList', check: statements.referredAccessLists, remove: statements.deleteAccessLists },
]

/** The first faulty references in the order of the input, each with the number of all; undefined if nothing refers. */
export function firstFaultsSql(stagedKinds: ReadonlySet<StagedKind>) {
  const faulty = checks.filter(({ of }) => stagedKinds.has(of)).map(({ sql }) => `(${sql})`)
  return faulty.length === 0 ? undefined : firstOf(faulty.join(' union all '))
}

const firstOf = (faults: string) => `select line_id, pointer, message, count(*) over () as total
  from (${faults}) faults (line_id, pointer, message) order by line_id limit ${MAX_REPORTED}`

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
  for (const { of, check, remove } of referred) {
    if (!stagedKinds.has(of)) continue
    await requireNoFaults(query, firstOf(check), files)
    await query(remove)
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

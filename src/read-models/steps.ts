/** A kind of what a batch stages: records by type, incentives with a new state, and facts that are withdrawn. */
export type StagedKind =
  | 'token'
  | 'contract'
  | 'actionTemplate'
  | 'accessList'
  | 'campaign'
  | 'campaignMetadata'
  | 'claim'
  | 'claimSignature'
  | 'profile'
  | 'tokenPrice'
  | 'feedPrice'
  | 'withdrawnFeedPrice'
  | 'priceSource'
  | 'incentive'
  | 'withdrawnClaim'
  | 'withdrawnCampaign'
  | 'chainEvent'

/** The kinds that concern only the campaigns that a batch touches. */
export const aboutCampaigns: readonly StagedKind[] = [
  ...(['campaign', 'campaignMetadata', 'incentive', 'claim', 'claimSignature'] as const),
  ...(['withdrawnCampaign', 'withdrawnClaim', 'chainEvent'] as const),
]

/** All kinds: metadata stages its campaign again, if that is stored. */
export const withRestaged = (kinds: Iterable<StagedKind>): Set<StagedKind> => {
  const all = new Set(kinds)
  return all.has('campaignMetadata') ? all.add('campaign') : all
}

/** A step of a batch: one statement on the way from staged records to rows. */
export interface Step {
  /** Runs if the batch stages something of one of these kinds. */
  appliesTo: readonly StagedKind[]
  /**
   * A working table: if it is empty, the statement is not even sent, since a statement that may write takes a revision.
   */
  skipUnless?: string
  /** Takes no parameters; its result is not used. */
  sql: string
  /** The table it populates, usually a working table, whose size has to be known for the plans of later statements. */
  populates?: string
}

/** What a step runs: a statement, or one of `populating`. */
type Statement = string | Pick<Step, 'sql' | 'populates'>

/** A statement that populates a table, whose size matters to later ones. */
export const populating = (populates: string, sql: string) => ({ sql, populates })

/** Statements for the same kinds. */
export const stepsFor = (appliesTo: Step['appliesTo'], ...statements: Statement[]): Step[] =>
  statements.map((statement) => ({ appliesTo, ...(typeof statement === 'string' ? { sql: statement } : statement) }))

/** The same, only if a working table has rows. */
export const stepsUnlessEmpty = (table: string, appliesTo: Step['appliesTo'], ...statements: Statement[]): Step[] =>
  stepsFor(appliesTo, ...statements).map((step) => ({ ...step, skipUnless: table }))

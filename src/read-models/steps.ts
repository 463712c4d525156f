/** A kind of change in a batch: records by type, incentives whose figures have changed, and facts that are taken back. */
export type ChangeKind =
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

/** What concerns nothing but the campaigns that a batch touches. */
export const aboutCampaigns: readonly ChangeKind[] = [
  ...([
    'campaign',
    'campaignMetadata',
    'incentive',
    'claim',
    'claimSignature',
    'withdrawnCampaign',
    'withdrawnClaim',
    'chainEvent',
  ] as const),
]

/** All that a batch has to do with: metadata stages its campaign again, where that is stored. */
export const withRestaged = (kinds: Iterable<ChangeKind>): Set<ChangeKind> => {
  const all = new Set(kinds)
  return all.has('campaignMetadata') ? all.add('campaign') : all
}

/** One statement on the way from staged records to rows. */
export interface Step {
  /** The batch has at least one change of these kinds; else there is nothing to do. */
  appliesTo: readonly ChangeKind[]
  /** A working table: where it is empty, the statement is not even begun, for what begins to write takes a revision. */
  skipUnless?: string
  /** Takes no parameters, and what it returns is nobody's. */
  sql: string
  /** The table it populates, a working one mostly, whose size has to be known for the plans of what follows. */
  populates?: string
}

/** Statements that apply to the same kinds of changes; those that populate a working table are given with its name. */
export const stepsFor = (
  appliesTo: Step['appliesTo'],
  statements: (string | [sql: string, populates: string])[],
): Step[] =>
  statements.map((statement) =>
    typeof statement === 'string'
      ? { appliesTo, sql: statement }
      : { appliesTo, sql: statement[0], populates: statement[1] },
  )

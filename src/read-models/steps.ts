/** What a batch can hold: records by type, incentives whose figures have changed, and facts that are taken back. */
export type Ingredient =
  | 'token'
  | 'contract'
  | 'actionTemplate'
  | 'accessList'
  | 'campaign'
  | 'campaignMetadata'
  | 'claim'
  | 'claimSignature'
  | 'profile'
  | 'incentive'
  | 'withdrawnClaim'
  | 'withdrawnCampaign'

/** What concerns nothing but the campaigns that a batch touches. */
export const aboutCampaigns: readonly Ingredient[] = [
  ...([
    'campaign',
    'campaignMetadata',
    'incentive',
    'claim',
    'claimSignature',
    'withdrawnCampaign',
    'withdrawnClaim',
  ] as const),
]

/** All that a batch has to do with: metadata stages its campaign again, where that is stored. */
export const withRestaged = (ingredients: Iterable<Ingredient>): Set<Ingredient> => {
  const all = new Set(ingredients)
  return all.has('campaignMetadata') ? all.add('campaign') : all
}

/** One statement on the way from staged records to rows. */
export interface Step {
  /** It has something to do only where the batch holds one of these. */
  of: readonly Ingredient[]
  /** A working table, without a row of which it has nothing to do. */
  needs?: string
  /** Takes no parameters, and what it returns is nobody's: small batches run it inside a function (see batch-function). */
  sql: string
  /** The table it fills, a working one mostly, whose size has to be known for the plans of what follows. */
  fills?: string
}

/** Statements that concern the same ingredients; those that fill a working table are given with its name. */
export const allOf = (of: Step['of'], statements: (string | [sql: string, fills: string])[]): Step[] =>
  statements.map((statement) =>
    typeof statement === 'string' ? { of, sql: statement } : { of, sql: statement[0], fills: statement[1] },
  )

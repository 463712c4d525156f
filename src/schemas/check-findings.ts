/** The result of a check: `warning` works, but needs attention. */
type FindingState = 'ok' | 'warning' | 'failed'

/** A finding in one sentence, and what to do about it if something is wrong. */
export interface Finding {
  state: FindingState
  found: string
  advice: string | null
}

export const ok = (found: string): Finding => ({ state: 'ok', found, advice: null })
export const warning = (found: string, advice: string): Finding => ({ state: 'warning', found, advice })
export const failed = (found: string, advice: string): Finding => ({ state: 'failed', found, advice })

/** The finding of a check, by its name. */
export interface CheckedFinding extends Finding {
  check: string
}

/** Advice: the command that repairs derived data and missing parts of the schema. */
export const REBUILD = 'run `reward-campaigns rebuild` as the owner of the tables'

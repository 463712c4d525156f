/** How a thing stands that was looked at: `warning` works, and should be seen to. */
type FindingState = 'ok' | 'warning' | 'failed'

/** What was found, in a sentence, and what to do about it where it is not as it should be. */
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

/** Advice: what mends all that is derived, and what the schema lacks. */
export const REBUILD = 'run `reward-campaigns rebuild` as the owner of the tables'

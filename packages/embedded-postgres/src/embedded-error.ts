/** What is wrong, where an application may know more of what to do: no programs, not all of them, files of another account. */
export type EmbeddedServerProblem = 'not-installed' | 'incomplete' | 'other-account'

/** The reason why no embedded server can run here; the message says all that an operator needs. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError'
  readonly problem: EmbeddedServerProblem | undefined

  constructor(message: string, options: ErrorOptions & { problem?: EmbeddedServerProblem } = {}) {
    super(message, options)
    this.problem = options.problem
  }
}

const SEVERE = /\b(error|fatal|panic):/i

/** Why one of PostgreSQL's programs has failed: its last lines, the severe ones if there are any. */
export function lastErrorLines(output: string) {
  const lines = output.trim().split('\n')
  const severe = lines.filter((line) => SEVERE.test(line))
  return (severe.length > 0 ? severe : lines).slice(-2).join(' ')
}

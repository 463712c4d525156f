import { OperatorError } from '../operator-error.ts'

/** The reason why no embedded server can run here, and what to do about it. */
export class EmbeddedServerError extends OperatorError {
  override readonly name = 'EmbeddedServerError'
}

const SEVERE = /\b(error|fatal|panic):/i

/** Why one of PostgreSQL's programs has failed: its last lines, the severe ones if there are any. */
export function lastErrorLines(output: string) {
  const lines = output.trim().split('\n')
  const severe = lines.filter((line) => SEVERE.test(line))
  return (severe.length > 0 ? severe : lines).slice(-2).join(' ')
}

const SEVERE = /\b(error|fatal|panic):/i

/** Why one of PostgreSQL's programs has failed: its last lines, the severe ones where there are any. */
export function lastWords(output: string) {
  const lines = output.trim().split('\n')
  const severe = lines.filter((line) => SEVERE.test(line))
  return (severe.length > 0 ? severe : lines).slice(-2).join(' ')
}

/** Named prepared statements; a server stores them for each connection, so their number is limited. */
const MAX_NAMED_STATEMENTS = 64

/**
 * Stores the statements of a repository by the shape of their text. The first 64 shapes get a name, under which a
 * connection parses them once; a statement of any further shape is parsed each time.
 */
export function cacheStatements<Statement>(prefix: string) {
  const statements = new Map<string, Statement>()
  return (shape: string, prepare: (name: string) => Statement) => {
    const known = statements.get(shape)
    if (known !== undefined) return known
    if (statements.size >= MAX_NAMED_STATEMENTS) return prepare('')
    const statement = prepare(`${prefix}_${statements.size}`)
    statements.set(shape, statement)
    return statement
  }
}

import { type SQL, sql } from 'drizzle-orm'

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

/**
 * Conditions of a query whose text depends only on which filters are given, not on their values: so the statement can
 * be prepared once for each `shape`, and run with other `values`.
 */
export interface Conditions {
  shape: string
  conditions: SQL[]
  values: Record<string, unknown>
}

/** Combines conditions that must all hold. */
export function combine(parts: Conditions[]): Conditions {
  return {
    shape: parts.flatMap(({ shape }) => (shape === '' ? [] : [shape])).join(' '),
    conditions: parts.flatMap(({ conditions }) => conditions),
    values: Object.assign({}, ...parts.map(({ values }) => values)),
  }
}

/** A condition on one value, if there is one. */
export function given<T>(name: string, value: T | undefined, toSql: (placeholder: SQL) => SQL): Conditions {
  if (value === undefined) return { shape: '', conditions: [], values: {} }
  return { shape: name, conditions: [toSql(sql`${sql.placeholder(name)}`)], values: { [name]: value } }
}

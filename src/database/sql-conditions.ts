import { type SQL, sql } from 'drizzle-orm'

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

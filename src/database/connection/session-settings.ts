/*
 * What statements rely on, whatever a role or a database sets (alter role … set, alter database … set). A test lists every setting of
 * PostgreSQL, and says of those that are not here why.
 */

/** Every session has these. All may be set by any role, and are known to all versions from 15 on. */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  // How values are written and read.
  DateStyle: 'ISO,MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  quote_all_identifiers: 'off',
  xmlbinary: 'base64',
  xmloption: 'content',
  // What statements mean.
  search_path: 'public',
  standard_conforming_strings: 'on',
  backslash_quote: 'safe_encoding',
  transform_null_equals: 'off',
  default_text_search_config: 'pg_catalog.simple',
  gin_fuzzy_search_limit: '0',
  row_security: 'on',
  'plpgsql.extra_errors': 'none',
  'plpgsql.extra_warnings': 'none',
  // Transactions, and what ends a statement or a session.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  exit_on_error: 'off',
  client_min_messages: 'warning',
  // Compiling takes longer than nearly all statements.
  jit: 'off',
}

/**
 * The connection string with settings of the session in its `options`, which the login brings along: so they cost no round trip. What the
 * string has there already counts, except for these.
 */
export function withSessionSettings(url: string, settings: Readonly<Record<string, string>> = {}): string {
  const connection = new URL(url)
  const own = Object.entries({ ...SESSION_SETTINGS, ...settings }).map(
    ([name, value]) => `-c ${name}=${escapeOption(value)}`,
  )
  connection.searchParams.set('options', [connection.searchParams.get('options') ?? '', ...own].join(' ').trim())
  return connection.href
}

const escapeOption = (value: string) => value.replace(/[\\\s]/g, '\\$&')

/** For long work: what only newer versions know, so that no login can bring it along. */
export const SET_OF_NEWER_VERSIONS = [
  ['transaction_timeout', '0'],
  ['restrict_nonsystem_relation_kind', ''],
]
  .map(
    ([name, value]) =>
      `select set_config('${name}', '${value}', false) where current_setting('${name}', true) <> '${value}'`,
  )
  .join('; ')

import { setTimeout as sleep } from 'node:timers/promises'
import { DrizzleQueryError } from 'drizzle-orm'
import pg from 'pg'
import { CancelledError } from '../../abort-context.ts'
import { OperatorError } from '../../operator-error.ts'

/*
 * SQLSTATE classes that mean "try again later", not "this statement is wrong": 08 connection; 53 insufficient
 * resources; 57 operator intervention (statement timeout, shutdown); 28 and 3D refused logins and missing databases;
 * 25006 a server that is read-only during a failover; 55P03 a lock that was not available in time; 40 a transaction
 * that was rolled back because of others, twice.
 */
const UNREACHABLE = /^(08...|53...|57...|28...|3D000|25006|55P03|40...)$/

/** Errors of JavaScript itself. */
const DEFECTS = [TypeError, RangeError, ReferenceError, SyntaxError]

/**
 * Whether a query failed because the database is unreachable or too slow. Decided by SQLSTATE, never by English text; a
 * driver error without SQLSTATE comes from the connection.
 */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (error instanceof DatabaseUnreachableError) return true
  return error instanceof DrizzleQueryError && !isCancelled(error) && isConnectionFailure(error.cause)
}

/** The error of the server or the connection, without the query that Drizzle adds. */
export const withoutQuery = (error: unknown) =>
  error instanceof DrizzleQueryError && error.cause !== undefined ? error.cause : error

/** Whether the server rolled a statement back because of what others did at the same time. */
export const isRolledBack = (error: unknown) => error instanceof pg.DatabaseError && /^40...$/.test(error.code ?? '')

/** Whether an administrator, a shutdown or the crash of another session ended this one. */
export const isTerminated = (error: unknown) => error instanceof pg.DatabaseError && /^57P0[12]$/.test(error.code ?? '')

/** Whether a query was cancelled because its last caller had left. */
export const isCancelled = (error: unknown) =>
  error instanceof CancelledError || (error instanceof DrizzleQueryError && error.cause instanceof CancelledError)

/** The failure as one line for the log: the connection's error, without the query. */
export function describeFailure(error: unknown): string {
  const root = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(root instanceof Error)) return String(root)
  // If a host has several addresses, the message is empty and each address has its own error.
  return root instanceof AggregateError ? root.errors.map(describeFailure).join(', ') : root.message
}

/** What an operator reads about a failure that is no defect of the service; undefined for any other. */
export function explainFailure(error: unknown): string | undefined {
  if (isOutOfSpace(error)) return `there is no space left on the disk: ${describeFailure(error)}`
  return isDatabaseUnreachable(error) ? `the database cannot be reached: ${describeFailure(error)}` : undefined
}

/** The same about a right that is missing; without the query, whose parameters may be those of a token. */
export function explainDenial(error: Error) {
  const { cause = error } = error
  return cause instanceof pg.DatabaseError && cause.code === '42501'
    ? `the role of DATABASE_URL may not do this (${cause.message}): use the one that migrates and owns the tables`
    : undefined
}

/** Whether the disk of the database, or of this process, is full. */
export function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : undefined
  return code === 'ENOSPC' || code === '53100' || isOutOfSpace(error.cause)
}

/** More queries at once than the database can run in time. */
export class TooManyQueriesError extends Error {
  override readonly name = 'TooManyQueriesError'
  override readonly message = 'too many queries wait for a connection to the database'
}

/** All connections were in use for as long as a query may wait for one. */
export class WaitedTooLongError extends Error {
  override readonly name = 'WaitedTooLongError'
  override readonly message = 'no connection to the database has become free in time'
}

/** No connection could be made, or the one that there was is lost. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError'
}

/** A schema that only a migration may work with. */
export class SchemaBehindError extends OperatorError {
  override readonly name = 'SchemaBehindError'
}

/** A schema from before the first release, which no migration leads from. */
export class UnreleasedSchemaError extends OperatorError {
  override readonly name = 'UnreleasedSchemaError'
}

/**
 * Connects a client; if it is lost later, its queries fail but the process goes on.
 * @throws DatabaseUnreachableError if the server cannot be reached or accepts no connections now.
 */
export function connectClient(client: pg.Client) {
  // Without a listener, a connection that dies between two queries would end the process.
  client.on('error', () => undefined)
  return orUnreachable(client.connect())
}

/** The server's reply. @throws DatabaseUnreachableError if it is unreachable or too slow. */
export async function orUnreachable<Result>(response: Promise<Result>) {
  try {
    return await response
  } catch (error) {
    if (!isConnectionFailure(error)) throw error
    throw new DatabaseUnreachableError('the database cannot be reached', { cause: error })
  }
}

/** Whether the connection failed, or the server could not serve it: neither a fault of the statement nor a defect of ours. */
export function isConnectionFailure(error: unknown) {
  if (error instanceof pg.DatabaseError) return UNREACHABLE.test(error.code ?? '')
  return error instanceof Error && !DEFECTS.some((kind) => error instanceof kind)
}

/** The result if it comes in time. @throws DatabaseUnreachableError if it takes longer; the query goes on. */
export async function withTimeout<T>(promise: Promise<T>, maxMs: number, sentence: string): Promise<T> {
  const settled = new AbortController()
  const late = sleep(maxMs, undefined, { signal: settled.signal }).then(() => {
    throw new DatabaseUnreachableError(sentence)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    settled.abort()
    late.catch(() => undefined)
    promise.catch(() => undefined)
  }
}

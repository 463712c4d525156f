import pg from 'pg'
import { ConfigurationError } from '../config.ts'
import { explainFailure, SchemaBehindError } from '../database/connection/database-errors.ts'
import { ServingRoleError } from '../database/serving-role.ts'
import { EmbeddedServerError } from '../embedded/embedded-error.ts'
import { ImportFailedError } from '../import/import-failures.ts'
import { UnreadableFileError } from '../import/sources.ts'
import { FollowingError } from '../indexer/chain-events.ts'
import { ImportFaultsError } from '../ingest/validation-errors.ts'
import { ExportFolderError } from './export/copied-files.ts'
import { NotifyError } from './services/notify.ts'
import { TokenError } from './token.ts'

/** Errors whose message says all that the operator needs. */
const plainErrors = [
  ConfigurationError,
  EmbeddedServerError,
  ImportFaultsError,
  ImportFailedError,
  SchemaBehindError,
  UnreadableFileError,
  TokenError,
  ServingRoleError,
  FollowingError,
  NotifyError,
  ExportFolderError,
]

/** The message for the operator; with a stack only for unexpected errors. */
export function explainError(error: unknown) {
  if (!(error instanceof Error)) return String(error)
  if (plainErrors.some((kind) => error instanceof kind)) return error.message
  return explainFailure(error) ?? explainDenial(error) ?? (isAboutFile(error) ? error.message : error.stack)
}

/** SQLSTATE of a right that is missing. */
const DENIED = '42501'

/** Without the query, whose parameters may be those of a token. */
function explainDenial(error: Error) {
  const { cause = error } = error
  return cause instanceof pg.DatabaseError && cause.code === DENIED
    ? `the role of DATABASE_URL may not do this (${cause.message}): use the one that migrates and owns the tables`
    : undefined
}

/** The file system says what it refuses, with the name of the file. */
const isAboutFile = (error: Error) => 'syscall' in error && 'path' in error

import pg from 'pg'
import {
  DatabaseUnreachableError,
  describeFailure,
  isConnectionFailure,
} from '../database/connection/database-errors.ts'
import { OperatorError } from '../operator-error.ts'

/** An import that failed at the database; the message says why, what was written and what to do. */
export class ImportFailedError extends OperatorError {
  override readonly name = 'ImportFailedError'
}

const NOTHING = 'nothing was imported'

export const mayNotImport = (cause?: unknown) =>
  new ImportFailedError(
    `the role of DATABASE_URL may not import: use the one that migrates and owns the tables; ${NOTHING}`,
    { cause },
  )

/** The meaning of failures by SQLSTATE, except our own. */
const meanings: Record<string, string> = {
  '53100': 'the disk of the database is full',
  '25006': 'the database is read-only: import into the primary',
}

/**
 * The message about a failure for the operator; defects are returned unchanged.
 * @param connection whether it was lost, and whether a commit was under way, whose outcome is unknown then.
 */
export function toImportFailure(error: unknown, connection: { isLost: boolean; isCommitting: boolean }): unknown {
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : ''
  if (code === '42501') return mayNotImport(error)
  const meaning = meanings[code]
  if (meaning !== undefined) return new ImportFailedError(`${meaning}; ${NOTHING}`, { cause: error })
  const isLost = connection.isLost || error instanceof DatabaseUnreachableError
  const isConnection = code === '' ? isLost : isConnectionFailure(error)
  if (!isConnection) return error
  const what = `the database ended the import (${describeFailure(error)})`
  return connection.isCommitting
    ? new ImportFailedError(
        `${what} during the commit: whether it was imported is unknown. Import again; what is there already stays as it is`,
        { cause: error },
      )
    : new ImportFailedError(`${what}; ${NOTHING}`, { cause: error })
}

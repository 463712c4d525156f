import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What others have to wait for while a migration of an existing database is applied. */
export interface MigrationLocks {
  /** Tables and views that nobody can read or write meanwhile. */
  blocksReading: string[]
  /** Tables that can be read but not written; `imports` where every import waits. */
  blocksWriting: string[]
}

const FILE = join(import.meta.dirname, '../../migrations/meta/_locks.json')

/** The locks of each migration by its name, as a test has seen them; those of tables that it makes itself are left out. */
export const readMigrationLocks = (): Record<string, MigrationLocks> => JSON.parse(readFileSync(FILE, 'utf8'))

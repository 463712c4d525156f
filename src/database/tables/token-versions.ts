import { pgTable, uuid } from 'drizzle-orm/pg-core'

/**
 * One row, whose random version changes whenever a token changes: cached tokens are current as long as it is the same.
 * Written by the triggers `token_version_is_renewed`.
 */
export const tokenVersions = pgTable('token_versions', { version: uuid().primaryKey() })

import { sql } from 'drizzle-orm'
import { boolean, check, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { address, digest, instant } from '../../columns.ts'

/** A bearer token of the protected operations. Written by the operator's `token` command; never holds the secret. */
export const credentials = pgTable(
  'credentials',
  {
    id: uuid().primaryKey().defaultRandom(),
    secretDigest: digest().notNull().unique(),
    userId: text().notNull(),
    address: address(),
    isAdmin: boolean().notNull().default(false),
    name: text().notNull().default(''),
    createdAt: instant().notNull().defaultNow(),
    expiresAt: instant(),
    revokedAt: instant(),
    lastUsedAt: instant(),
  },
  (table) => [check('credentials_digest_is_a_sha_256', sql`octet_length(${table.secretDigest}) = 32`)],
)

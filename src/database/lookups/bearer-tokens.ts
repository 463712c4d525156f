import { createHash, randomBytes } from 'node:crypto'
import { and, desc, eq, getTableColumns, inArray, isNull, lt, or, sql } from 'drizzle-orm'
import type { Database } from '../connection/open-database.ts'
import { credentials } from '../tables/credentials-and-profiles.ts'

/** The holder of a bearer token; the address, lower-case, is the user's own. */
export type Credential = Pick<typeof credentials.$inferSelect, 'id' | 'userId' | 'address' | 'isAdmin'>

export type CredentialStore = ReturnType<typeof createCredentialStore>

/** How often the use of a credential is recorded. */
const USE_INTERVAL_MS = 60_000

/** 256 bits from the operating system, with a prefix that scanners for leaked secrets recognise. */
export const createSecret = () => `rcs_${randomBytes(32).toString('base64url')}`

/** The stored form of a secret: its SHA-256. A secret has too many bits to be guessed, so it needs no salt. */
const toDigest = (secret: string) => createHash('sha256').update(secret).digest()

/** @param onUnrecorded is called when the use of a credential could not be recorded; the request goes on. */
export function createCredentialStore(database: Database, clock: () => Date, onUnrecorded: (error: unknown) => void) {
  const now = sql`${sql.placeholder('now')}::timestamptz`
  const findByDigest = database
    .select({
      id: credentials.id,
      userId: credentials.userId,
      address: credentials.address,
      isAdmin: credentials.isAdmin,
      lastUsedAt: credentials.lastUsedAt,
      isValid: sql<boolean>`${credentials.revokedAt} is null and coalesce(${credentials.expiresAt} > ${now}, true)`,
    })
    .from(credentials)
    .where(eq(credentials.secretDigest, sql.placeholder('digest')))
    .prepare('find_credential')

  async function recordUse(id: string, at: Date) {
    const due = new Date(at.getTime() - USE_INTERVAL_MS)
    const isDue = or(isNull(credentials.lastUsedAt), lt(credentials.lastUsedAt, due))
    // Does not wait for others that write the row: otherwise all requests with the token would hold connections
    // meanwhile.
    const free = database
      .select({ id: credentials.id })
      .from(credentials)
      .where(and(eq(credentials.id, id), isDue))
      .for('update', { skipLocked: true })
    await database.update(credentials).set({ lastUsedAt: at }).where(inArray(credentials.id, free))
  }

  return {
    /**
     * The credential of a secret, if it is known and neither revoked nor expired. Reads the database each time: a
     * revoked one is refused from the next request on. An unknown, an expired and a revoked one take the same code path.
     */
    async find(secret: string): Promise<Credential | undefined> {
      const at = clock()
      const [found] = await findByDigest.execute({ digest: toDigest(secret), now: at.toISOString() })
      if (found?.isValid !== true) return undefined
      const { id, userId, address, isAdmin, lastUsedAt } = found
      if (lastUsedAt === null || at.getTime() - lastUsedAt.getTime() > USE_INTERVAL_MS) {
        await recordUse(id, at).catch(onUnrecorded)
      }
      return { id, userId, address, isAdmin }
    },
  }
}

/** Stores a new credential; only the digest of its secret. */
export async function saveCredential(
  database: Database,
  secret: string,
  fields: Pick<typeof credentials.$inferInsert, 'userId' | 'address' | 'isAdmin' | 'name' | 'expiresAt'>,
) {
  const [saved] = await database
    .insert(credentials)
    .values({ ...fields, secretDigest: toDigest(secret) })
    .returning({ id: credentials.id })
  if (saved === undefined) throw new TypeError('the database returned no row')
  return saved.id
}

/** All credentials, the newest first, with everything but the digest. */
export function listCredentials(database: Database) {
  const { secretDigest: _, ...columns } = getTableColumns(credentials)
  return database.select(columns).from(credentials).orderBy(desc(credentials.createdAt), credentials.id)
}

/** Revokes a credential permanently; repeating it changes nothing. Returns whether there is such a credential. */
export async function revokeCredential(database: Database, id: string) {
  const revoked = await database
    .update(credentials)
    .set({ revokedAt: sql`coalesce(${credentials.revokedAt}, now())` })
    .where(sql`${credentials.id}::text = lower(${id})`)
    .returning({ id: credentials.id })
  return revoked.length > 0
}

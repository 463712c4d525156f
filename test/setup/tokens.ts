import { openPool } from '../../src/database/connection/pool.ts'
import { createSecret, saveCredential } from '../../src/database/lookups/bearer-tokens.ts'
import type { BorrowedTestApp } from './test-app.ts'

/** A valid bearer token of a user, as the operator's command would issue it: returns the secret. */
export async function issueToken(
  { database: { url } }: Pick<BorrowedTestApp, 'database'>,
  {
    userId = 'user-1',
    address,
    isAdmin = false,
  }: { userId?: string; address?: string | undefined; isAdmin?: boolean } = {},
): Promise<string> {
  const opened = openPool({
    url,
    poolSize: 1,
    connectionTimeoutMs: 10_000,
    statementTimeoutMs: 10_000,
    onIdleError: () => undefined,
  })
  try {
    const secret = createSecret()
    await saveCredential(opened.database, secret, {
      userId,
      address: address?.toLowerCase() ?? null,
      isAdmin,
      name: '',
    })
    return secret
  } finally {
    await opened.close()
  }
}

/** The headers of a request with a token. */
export const bearing = (secret: string) => ({ authorization: `Bearer ${secret}` })

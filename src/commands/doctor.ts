import { drizzle } from 'drizzle-orm/node-postgres'
import { DatabaseUnreachableError } from '../database/connection/database-errors.ts'
import { openClient } from '../database/connection/open-database.ts'
import { createFollowedChainReader } from '../database/lookups/followed-chains.ts'
import { compareSchema } from '../database/schema-version.ts'
import { examineDatabase, toLostFinding } from '../doctor/run-checks.ts'
import { openDatabaseAccess } from '../process/database-access.ts'
import { printFindings } from '../process/print-rows.ts'
import type { CheckedFinding } from '../schemas/check-findings.ts'
import type { Settings } from '../settings.ts'

export interface DoctorOptions {
  all?: boolean
  json?: boolean
  servingRole?: string
}

/** Statement timeouts for checks of a sample and of everything. */
const STATEMENT_MS = 10_000
const FULL_STATEMENT_MS = 600_000

/** `doctor`: checks the configured database, and reports each result. Writes nothing. */
export async function doctor(settings: Settings, options: DoctorOptions) {
  const access = await openDatabaseAccess(settings)
  try {
    printFindings(await examine(access, options), options)
  } finally {
    await access.close()
  }
}

async function examine(
  { url, isEmbedded }: { url: string; isEmbedded: boolean },
  { all = false, servingRole }: DoctorOptions,
): Promise<CheckedFinding[]> {
  const client = await openClient(url, 'reward-campaigns doctor').catch((error: unknown) => {
    if (error instanceof DatabaseUnreachableError) return error
    throw error
  })
  if (client instanceof DatabaseUnreachableError) return [{ check: 'server', ...toLostFinding(client) }]
  const database = drizzle(client, { casing: 'snake_case' })
  try {
    return await examineDatabase({
      client,
      isEmbedded,
      servingRole: servingRole ?? null,
      compareSchema: () => compareSchema(database),
      listChains: createFollowedChainReader(database, () => new Date()),
      isComplete: all,
      statementMs: all ? FULL_STATEMENT_MS : STATEMENT_MS,
    })
  } finally {
    await client.end()
  }
}

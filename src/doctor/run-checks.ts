import pg from 'pg'
import {
  describeFailure,
  isConnectionFailure,
  isTerminated,
  withoutQuery,
} from '../database/connection/database-errors.ts'
import { inSnapshot, type Query } from '../database/connection/snapshot.ts'
import { pickCampaigns, type Sample } from '../database/find-data-differences.ts'
import type { FollowedChain } from '../database/lookups/followed-chains.ts'
import type { SchemaState } from '../database/schema-version.ts'
import { examineRevision, readRevision } from '../read-models/data-version/check.ts'
import { type CheckedFinding, type Finding, failed, ok, warning } from '../schemas/check-findings.ts'
import { dataChecks } from './data-checks.ts'
import {
  examineChains,
  examineLocale,
  examineOrphans,
  examineRights,
  examineSchemaObjects,
  examineVersion,
} from './database-checks.ts'

export interface Examined {
  client: pg.Client
  isEmbedded: boolean
  /** The role that serves; null if it is the role of the connection. */
  servingRole: string | null
  compareSchema: () => Promise<SchemaState>
  listChains: () => Promise<readonly FollowedChain[]>
  /** Everything instead of a sample. */
  isComplete: boolean
  /** Maximum time of one statement. */
  statementMs: number
}

/** Campaigns in a sample. */
const SAMPLE_SIZE = 250

/** In this order; those of stored data only if schema and rights allow to read it. */
interface Check {
  name: string
  examine: () => Promise<Finding>
}

/** How checks are made, and what they find is added. */
function createRun(findings: CheckedFinding[], statementMs: number) {
  /** Whether all checks could be made, and none has failed. */
  async function run(checks: readonly Check[]) {
    for (const { name, examine } of checks) {
      try {
        findings.push({ check: name, ...(await examine()) })
      } catch (error) {
        if (!report(name, error)) return false
      }
    }
    return findings.every(({ state }) => state !== 'failed')
  }

  /** Adds why a check could not be made. Returns whether others still can. */
  function report(name: string, failure: unknown, state?: Finding['state']) {
    const error = withoutQuery(failure)
    const finding = toFinding(error, statementMs)
    findings.push({ check: name, ...finding, state: state ?? finding.state })
    return error instanceof pg.DatabaseError && !isTerminated(error)
  }

  return { run, report }
}

/**
 * Checks the database of this service, each check in a snapshot of its own, and writes nothing. A statement that
 * exceeds its timeout is a finding, not an error.
 */
export async function examineDatabase(examined: Examined): Promise<CheckedFinding[]> {
  const { client, isEmbedded, servingRole, isComplete, statementMs } = examined
  const inCheckSnapshot = <T>(work: (query: Query) => Promise<T>) => inSnapshot(client, { statementMs }, work)
  const findings: CheckedFinding[] = []

  const { run, report } = createRun(findings, statementMs)

  /** What is examined: at which revision the data is now, and some campaigns or all. */
  async function selectData() {
    const earlier = await inCheckSnapshot(readRevision)
    const sample: Sample = isComplete ? null : await inCheckSnapshot((query) => pickCampaigns(query, SAMPLE_SIZE))
    return { earlier, sample }
  }

  const checkOf = (name: string, examine: (query: Query) => Promise<Finding>): Check => ({
    name,
    examine: () => inCheckSnapshot(examine),
  })
  let schema: SchemaState = 'behind'
  const isCurrent = await run([
    checkOf('server', examineVersion),
    {
      name: 'schema',
      async examine() {
        schema = await inCheckSnapshot(examined.compareSchema)
        return toSchemaFinding(schema)
      },
    },
  ])
  // A migration grants rights on what it makes.
  const rights = checkOf('rights', (query) => examineRights(query, servingRole, isEmbedded))
  const isAllowed = isCurrent && (await run([rights]))
  const locale = checkOf('locale', examineLocale)
  if (!isAllowed) {
    if (!isLost(findings)) await run([locale])
    return findings
  }

  const selected = await selectData().catch((failure: unknown) => {
    // Whatever the reason: none of what is stored is checked.
    report('sample', failure, 'failed')
  })
  if (selected === undefined) return findings
  const { earlier, sample } = selected
  await run([
    checkOf('schema objects', (query) => examineSchemaObjects(query, schema)),
    locale,
    ...dataChecks.map(({ name, examine }) => checkOf(name, (query) => examine(query, sample))),
    {
      name: 'chains',
      async examine() {
        const chains = await inCheckSnapshot(examined.listChains)
        return await inCheckSnapshot((query) => examineChains(chains, query))
      },
    },
    checkOf('orphans', examineOrphans),
    checkOf('data version', (query) => examineRevision(query, earlier)),
  ])
  return findings
}

const toSchemaFinding = (state: SchemaState) =>
  state === 'behind'
    ? failed(
        'the schema is older than this version, so the data was not checked',
        'run `reward-campaigns migrate`, or set MIGRATE_ON_START=true',
      )
    : ok(`the schema is that of ${state === 'newer' ? 'a newer' : 'this'} version`)

const LOST = 'the database cannot be reached'

const isLost = (findings: readonly CheckedFinding[]) => findings.some(({ found }) => found.startsWith(LOST))

/** A database that is unreachable, from the beginning or later. */
export const toLostFinding = (error: unknown) =>
  failed(`${LOST}: ${describeFailure(error)}`, 'check that it runs and that DATABASE_URL is right')

/** SQLSTATE of a statement timeout, of a missing right, and of a write where none is possible. */
const [TIMED_OUT, DENIED, READ_ONLY] = ['57014', '42501', '25006']

/** @throws errors that are defects of ours. */
function toFinding(error: unknown, statementMs: number): Finding {
  if (error instanceof pg.DatabaseError) {
    if (error.code === TIMED_OUT) {
      return warning(`it took longer than ${statementMs / 1000} s and was cancelled`, 'retry when the load is lower')
    }
    if (error.code === READ_ONLY) return warning('this check needs the primary', 'run it there')
    if (error.code === DENIED)
      return warning(`this role lacks rights for the check: ${error.message}`, 'run it as the owner of the tables')
    if (!isConnectionFailure(error)) return failed(`the check failed: ${error.message}`, 'see the log of the server')
  }
  if (!isConnectionFailure(error)) throw error
  return toLostFinding(error)
}

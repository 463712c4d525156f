import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import type { Change } from '../../schemas/changes.ts'
import { readCheckedText, toCheckedText } from '../../schemas/cursor-checks.ts'
import { changes } from './tables.ts'

/** The position of a reader: at a change that there was, in a history. */
interface CursorPosition {
  revision: number
  position: number
  epoch: string
}

/** Changes in order, and where they end. */
export interface ChangePage {
  changes: Change[]
  /** Where the page ends: at its last change, or at the newest where no more follow; as before where nothing has changed. */
  next: string
  hasMore: boolean
}

export interface ChangeReader {
  /**
   * The changes after a cursor, of all kinds but `records.changed`; without one no change, and the cursor of now. One
   * statement, so as of one moment. A cursor that this database has not come to yet (a standby) has none after it.
   * @returns undefined where the history of the cursor is lost, or too old.
   * @throws MalformedCursorError where it is none.
   */
  read(after: string | undefined, max: number): Promise<ChangePage | undefined>
}

export class MalformedCursorError extends Error {
  override readonly name = 'MalformedCursorError'
}

const CURSOR_BYTES = 32

/** The cursor of a position: 48 characters, the same in every process. */
function toChangeCursor({ revision, position, epoch }: CursorPosition) {
  const bytes = Buffer.alloc(CURSOR_BYTES)
  bytes.writeBigInt64BE(BigInt(revision), 0)
  bytes.writeBigInt64BE(BigInt(position), 8)
  bytes.write(epoch.replaceAll('-', ''), 16, 'hex')
  return toCheckedText(bytes)
}

/** @throws MalformedCursorError */
export function parseChangeCursor(cursor: string): CursorPosition {
  const bytes = readCheckedText(cursor)
  if (bytes?.length !== CURSOR_BYTES) throw new MalformedCursorError(`${cursor} is no cursor of changes`)
  const [revision, position] = [Number(bytes.readBigInt64BE(0)), Number(bytes.readBigInt64BE(8))]
  if (!Number.isSafeInteger(revision) || !Number.isSafeInteger(position)) {
    throw new MalformedCursorError(`${cursor} is no cursor of changes`)
  }
  return { revision, position, epoch: bytes.toString('hex', 16) }
}

/** Reads changes in the order of commits. */
export function createChangeReader(database: Database): ChangeReader {
  const statement = prepareChanges(database)
  return {
    async read(after, max) {
      const start = after === undefined ? undefined : parseChangeCursor(after)
      const rows = await statement.execute({
        revision: start?.revision ?? Number.MAX_SAFE_INTEGER,
        position: start?.position ?? 0,
        epoch: start?.epoch ?? NO_EPOCH,
        // One more says whether there is more.
        max: start === undefined ? 0 : max + 1,
      })
      const head = rows[0]
      if (head === undefined) throw new TypeError('the database has no beginning of the changes')
      if (after === undefined) return { changes: [], next: toChangeCursor(head.newest), hasMore: false }
      // A standby may not have replayed yet what the primary has committed.
      if (!head.isKnown && (!head.isStandby || head.newest.revision >= Number(start?.revision))) return undefined
      if (!head.isKnown) return { changes: [], next: after, hasMore: false }
      const found = rows.flatMap(toChange)
      const changes = found.slice(0, max)
      const hasMore = found.length > max
      // The newest may be one that is not shown: a cursor that stayed behind it would grow too old.
      return { changes, next: (hasMore && changes.at(-1)?.cursor) || toChangeCursor(head.newest), hasMore }
    },
  }
}

const NO_EPOCH = '00000000-0000-0000-0000-000000000000'

type Row = Awaited<ReturnType<ReturnType<typeof prepareChanges>['execute']>>[number]

function toChange(row: Row): Change[] {
  const { revision, position, epoch, at, kind, chainId, campaignId, details } = row
  if (revision === null || position === null || epoch === null) return []
  const cursor = toChangeCursor({ revision, position, epoch })
  const shared = { cursor, kind, at: new Date(at).toISOString(), chainId }
  const fields = kind.startsWith('claim.')
    ? { claim: { campaignId, ...(details as object) } }
    : { ...(campaignId !== null && { campaignId }), ...(details as object | null) }
  // What the ingest writes has the form that is described for its kind.
  return [{ ...shared, ...fields } as Change]
}

/** A row for each change, with where the history stands; one row without a change where there is none. */
function prepareChanges(database: Database) {
  const { placeholder } = sql
  const start = sql`${placeholder('revision')}::bigint, ${placeholder('position')}::bigint`
  return database
    .select({
      newest: {
        revision: sql<number>`newest.revision::float8`,
        position: sql<number>`newest.position::float8`,
        epoch: sql<string>`newest.epoch`,
      },
      isStandby: sql<boolean>`pg_is_in_recovery()`,
      isKnown: sql<boolean>`exists (
        select from ${changes} where (revision, position) = (${start}) and epoch = ${placeholder('epoch')}::uuid)`,
      revision: sql<number | null>`change.revision::float8`,
      position: sql<number | null>`change.position::float8`,
      epoch: sql<string | null>`change.epoch`,
      at: sql<string>`change.at`,
      kind: sql<string>`change.kind`,
      chainId: sql<number | null>`change.chain_id::float8`,
      campaignId: sql<string | null>`change.campaign_id`,
      details: sql<unknown>`change.details - 'seconds'`,
    })
    .from(sql`(select revision, position, epoch from ${changes} order by revision desc, position desc limit 1) newest`)
    .leftJoin(
      sql`(select * from ${changes} where (revision, position) > (${start}) and kind not in ('beginning', 'records.changed')
        order by revision, position limit ${placeholder('max')}::integer) change`,
      sql`true`,
    )
    .orderBy(sql`change.revision, change.position`)
    .prepare('read_changes')
}

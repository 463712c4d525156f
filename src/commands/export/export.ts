import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RESPONSE_TIMEOUT_MS } from '../../database/connection/open-database.ts'
import { openPool } from '../../database/connection/pool.ts'
import { openSnapshotsOf, type Snapshot, withCrlf } from '../../database/exported-records/export-snapshots.ts'
import { type RecordKind, recordKinds } from '../../database/exported-records/record-columns.ts'
import { chainsSql, conditionsOf, copySql, type RecordFormat } from '../../database/exported-records/record-sql.ts'
import type { RemovalRecord } from '../../ingest/records.ts'
import { type Attempt, retryWhileAway, withCurrentSchema } from '../../process/database-access.ts'
import { ending } from '../../process/shutdown.ts'
import { type ChangePage, createChangeReader } from '../../read-models/changes/read.ts'
import type { Settings } from '../../settings.ts'
import { findChanged, findChangedNeeded, findChangedPrices, pricedToSql } from './changed-records.ts'
import {
  appendTo,
  type CopyState,
  discardUnfinished,
  ExportFolderError,
  findPricedInstants,
  type LockedFolder,
  lockFolder,
  openState,
  REMOVALS,
  writeState,
} from './export-folder.ts'

export interface ExportOptions {
  format: RecordFormat
  follow?: boolean
}

/** Maximum number of changes that are written together. */
const MAX_CHANGES = 1000

/** How often it is looked for changes. */
const POLL_INTERVAL_MS = 1000

/** `export`: a copy of all records in a folder; one that is there gets what has changed since. */
export const exportToFolder = (settings: Settings, path: string, options: ExportOptions) =>
  lockFolder(path, (folder) => copyToFolder(settings, folder, options))

async function copyToFolder(settings: Settings, folder: LockedFolder, { format, follow = false }: ExportOptions) {
  let state = await openState(folder, format)
  const attempt: Attempt = follow ? retryWhileAway : (work) => work()
  const work = async (url: string) => {
    const { pool, close } = openPool({
      url,
      applicationName: 'reward-campaigns export',
      poolSize: 1,
      connectionTimeoutMs: RESPONSE_TIMEOUT_MS,
      // A copy of a large database takes long.
      statementTimeoutMs: 0,
      onIdleError: () => undefined,
    })
    const openSnapshot = openSnapshotsOf(pool)
    const inSnapshot = <Result>(read: (snapshot: Snapshot) => Promise<Result>) =>
      attempt(async () => {
        const snapshot = await openSnapshot(0)
        try {
          return await read(snapshot)
        } finally {
          snapshot.close()
        }
      })
    try {
      if (state.cursor === '') state = await inSnapshot((snapshot) => copyAll(snapshot, folder, format))
      while (!ending.aborted) {
        folder.ensureLocked()
        const known: CopyState = state
        const next = await inSnapshot((snapshot) => copyChanges(snapshot, folder, known))
        state = next.state
        if (next.hasMore) continue
        if (!follow) break
        await sleep(POLL_INTERVAL_MS, undefined, { signal: ending }).catch(() => undefined)
      }
    } finally {
      await close()
    }
  }
  await withCurrentSchema(settings, work, attempt)
}

const asText = (format: RecordFormat, chunks: AsyncGenerator<Buffer>) => (format === 'csv' ? withCrlf(chunks) : chunks)

/** Replaces what the folder has with all records. */
async function copyAll(snapshot: Snapshot, folder: LockedFolder, format: RecordFormat): Promise<CopyState> {
  const { next: cursor } = (await createChangeReader(snapshot.database).read(undefined, 0)) ?? {}
  if (cursor === undefined) throw new TypeError('there is no cursor of now')
  const bytes: Record<string, number> = {}
  folder.ensureLocked()
  await rm(join(folder.path, REMOVALS), { force: true })
  for (const kind of recordKinds) {
    const chains = (await snapshot.query<{ id: string }>(chainsSql(kind))).map(({ id }) => id)
    const chunks = snapshot.stream(copySql(kind, format, conditionsOf(kind, chains, {})))
    bytes[`${kind}.${format}`] = await appendTo(folder, `${kind}.${format}`, 0, asText(format, chunks))
  }
  const priced = await snapshot.query<{ token: string; at: string }>(pricedToSql())
  const pricedTo = Object.fromEntries(priced.map(({ token, at }) => [token, at]))
  const state = { format, cursor, bytes, pricedTo }
  await writeState(folder, state)
  return state
}

/** What has changed since, a bounded number of changes. @throws ExportFolderError where that cannot be said any more. */
async function copyChanges(snapshot: Snapshot, folder: LockedFolder, state: CopyState) {
  const page = await createChangeReader(snapshot.database).read(state.cursor, MAX_CHANGES)
  if (page === undefined) {
    throw new ExportFolderError(
      `${folder.path} is of another database, or too old: what has changed since is not known. Export to another folder`,
    )
  }
  const { changes, next: cursor, hasMore } = page
  if (cursor === state.cursor) return { state, hasMore }
  if (changes.some(({ kind }) => kind === 'reset')) {
    return { state: await copyAll(snapshot, folder, state.format), hasMore: false }
  }
  await discardUnfinished(folder, state)
  const bytes = { ...state.bytes }
  const pricedTo = { ...state.pricedTo }
  const append = async (name: string, chunks: AsyncIterable<Buffer>) => {
    bytes[name] = await appendTo(folder, name, bytes[name] ?? 0, chunks)
  }
  for (const kind of recordKinds) {
    const { statements, removals } = await changesOf(snapshot, kind, folder, state, page, pricedTo)
    const name = `${kind}.${state.format}`
    if (statements.length > 0) await append(name, asText(state.format, snapshot.stream(statements)))
    if (removals.length > 0) await append(state.format === 'csv' ? REMOVALS : name, toLines(removals))
  }
  const nextState = { ...state, cursor, bytes, pricedTo }
  await writeState(folder, nextState)
  return { state: nextState, hasMore }
}

async function changesOf(
  snapshot: Snapshot,
  kind: RecordKind,
  folder: LockedFolder,
  state: CopyState,
  { changes, next }: ChangePage,
  pricedTo: CopyState['pricedTo'],
) {
  if (kind === 'prices') {
    const { newest, ...found } = await findChangedPrices(snapshot, state, next, (isSought) =>
      findPricedInstants(folder, state, isSought),
    )
    Object.assign(pricedTo, newest)
    return found
  }
  const found = await findChanged(snapshot, kind, state.format, changes)
  const needed = kind === 'campaigns' ? await findChangedNeeded(snapshot, state, next) : []
  return { ...found, statements: [...needed, ...found.statements] }
}

async function* toLines(removals: readonly RemovalRecord[]) {
  yield Buffer.from(removals.map((removal) => `${JSON.stringify(removal)}\n`).join(''))
}

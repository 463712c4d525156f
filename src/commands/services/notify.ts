import { readFile } from 'node:fs/promises'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { explainFailure } from '../../database/connection/database-errors.ts'
import type { Database } from '../../database/connection/open-database.ts'
import { faultOfPort } from '../../fetch-ports.ts'
import { OperatorError } from '../../operator-error.ts'
import { NotTextError, toOperatorText } from '../../operator-text.ts'
import { retryWhileAway, withCurrentSchema } from '../../process/database-access.ts'
import { withExclusiveLock } from '../../process/exclusive-lock.ts'
import { replaceFile } from '../../process/replace-file.ts'
import { ending, handleSignals } from '../../process/shutdown.ts'
import { createChangeReader, parseChangeCursor } from '../../read-models/changes/read.ts'
import { changeKinds } from '../../schemas/changes.ts'
import { nearestName } from '../../schemas/parameters/nearest-name.ts'
import type { Settings } from '../../settings.ts'
import { deliver, toKey, type Webhook } from './webhook.ts'

export interface NotifyOptions {
  /** URL of the receiver. */
  to: string
  secretFile: string
  /** The kinds to send, with `reset`; by default all. */
  kind?: string[]
  /** The cursor to start from. */
  from?: string
  cursorFile?: string
}

/** What is wrong with the options or the history; the message says what to do, and no secret. */
export class NotifyError extends OperatorError {
  override readonly name = 'NotifyError'
}

/** The poll interval. */
const POLL_MS = 500

/** Maximum number of changes in one read. */
const PAGE = 100

const log = (what: string) => void process.stderr.write(`${what}\n`)

/** Ends early with the process. */
const sleep = (ms: number) => sleepFor(ms, undefined, { signal: ending }).catch(() => undefined)

/**
 * `notify`: posts each change as a Standard Webhook, in order and at least once, until SIGTERM.
 * @throws NotifyError where an option is wrong, or the history of the cursor is lost.
 */
export async function notify(settings: Settings, options: NotifyOptions) {
  handleSignals({
    timeoutMs: settings.SHUTDOWN_TIMEOUT_SECONDS * 1000,
    toExitCode: () => 0,
    onError: (error) => log(explainFailure(error) ?? 'fatal error, shutting down'),
  })
  const url = toReceiver(options.to)
  const key = toKey((await readText(options.secretFile, '--secret-file'))?.trim() ?? '')
  if (key === undefined) throw new NotifyError('--secret-file must hold a secret: whsec_ and 24 to 64 bytes in base64')
  const kinds = options.kind?.flatMap((kind) => kind.split(',')) ?? changeKinds
  for (const kind of kinds) requireKind(kind)
  const webhook: Webhook = {
    ...{ url, key, signal: ending, sleep },
    onFailure: (why, pauseMs) =>
      log(`not delivered to ${url.origin}: ${why}, retrying in ${Math.ceil(pauseMs / 1000)} s`),
  }
  const cursorFile = options.cursorFile ?? `${options.secretFile}.cursor`
  const refusals = {
    inUse: new NotifyError(`${cursorFile} is in use by another process`),
    // It is beside the secret by default, where often nothing can be written.
    toUnwritable: (code: string) =>
      new NotifyError(`--cursor-file must be in a folder that can be written: ${cursorFile} (${code})`),
  }
  await withExclusiveLock(`${cursorFile}.lock`, refusals, async (ensureLocked) => {
    const from = await readCursor(cursorFile, options.from)
    await withCurrentSchema(
      settings,
      async (_url, database) => sendAll({ database, from, kinds, cursorFile, webhook, ensureLocked }),
      retryWhileAway,
    )
  })
}

/** Where to begin: the stored cursor, else the given one; undefined if there is none. */
async function readCursor(cursorFile: string, given: string | undefined) {
  const storedCursor = (await readText(cursorFile, '--cursor-file', { mayBeMissing: true }))?.trim()
  const from = storedCursor ?? given
  if (from !== undefined) requireCursor(from, storedCursor === undefined ? '--from' : '--cursor-file')
  return from
}

interface Sending {
  database: Database
  from: string | undefined
  kinds: readonly string[]
  cursorFile: string
  webhook: Webhook
  ensureLocked: () => void
}

async function sendAll({ database, from, kinds, cursorFile, webhook, ensureLocked }: Sending) {
  const reader = createChangeReader(database)
  let cursor = from
  const keep = (reached: string) => {
    ensureLocked()
    return replaceFile(cursorFile, `${reached}\n`)
  }
  while (!ending.aborted) {
    const page = await retryWhileAway(() => reader.read(cursor, PAGE))
    if (page === undefined) {
      throw new NotifyError(
        'the changes after the cursor are not known any more: export the data anew, and begin with --from the cursor that comes with it (delete the cursor file)',
      )
    }
    for (const change of page.changes) {
      if (change.kind !== 'reset' && !kinds.includes(change.kind)) continue
      ensureLocked()
      if (!(await deliver(change, webhook))) return
      await keep(change.cursor)
    }
    if (page.next !== cursor) await keep(page.next)
    if (cursor === undefined) log(`sending changes to ${webhook.url.origin}`)
    cursor = page.next
    if (!page.hasMore) await sleep(POLL_MS)
  }
}

async function readText(file: string, option: string, { mayBeMissing = false } = {}) {
  try {
    return toOperatorText(await readFile(file))
  } catch (error) {
    if (error instanceof NotTextError) throw new NotifyError(`${option} cannot be read: ${file} (${error.message})`)
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed'
    if (mayBeMissing && code === 'ENOENT') return undefined
    throw new NotifyError(`${option} cannot be read: ${file} (${code})`)
  }
}

/** HTTPS, or this machine. */
function toReceiver(text: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLoopback = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\])$/.test(url?.hostname ?? '')
  if (url === undefined || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback))) {
    throw new NotifyError('--to must be an https URL; http only for this machine')
  }
  if (url.username !== '' || url.password !== '') throw new NotifyError('--to must not hold a user or a password')
  const fault = faultOfPort(url)
  if (fault !== undefined) throw new NotifyError(`--to ${fault}`)
  return url
}

function requireKind(kind: string) {
  if ((changeKinds as readonly string[]).includes(kind)) return
  const nearest = nearestName(kind, changeKinds)
  throw new NotifyError(
    `--kind must be of ${changeKinds.join(', ')}${nearest === undefined ? '' : ` (did you mean ${nearest}?)`}`,
  )
}

function requireCursor(cursor: string, option: string) {
  try {
    parseChangeCursor(cursor)
  } catch {
    throw new NotifyError(`${option} must be a cursor of changes`)
  }
}

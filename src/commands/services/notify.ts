import { createHmac } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { isTimeout, withDeadline } from '../../abort-signals.ts'
import { explainFailure } from '../../database/connection/database-errors.ts'
import type { Database } from '../../database/connection/open-database.ts'
import { OperatorError } from '../../operator-error.ts'
import { retryWhileAway, withCurrentSchema } from '../../process/database-access.ts'
import { withExclusiveLock } from '../../process/exclusive-lock.ts'
import { ending, handleSignals } from '../../process/shutdown.ts'
import { createChangeReader, parseChangeCursor } from '../../read-models/changes/read.ts'
import { type Change, changeKinds } from '../../schemas/changes.ts'
import { nearestName } from '../../schemas/parameters/nearest-name.ts'
import type { Settings } from '../../settings.ts'

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
  const inUse = new NotifyError(`${cursorFile} is in use by another process`)
  await withExclusiveLock(`${cursorFile}.lock`, inUse, async (ensureLocked) => {
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
    return writeCursor(cursorFile, reached)
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

/** Writes atomically. */
async function writeCursor(file: string, cursor: string) {
  await writeFile(`${file}.new`, `${cursor}\n`, { flush: true })
  await rename(`${file}.new`, file)
}

async function readText(file: string, option: string, { mayBeMissing = false } = {}) {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
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

/** How long one try may take. */
const TRY_MS = 15_000

/** The delay after the first failed attempt, and its maximum: it doubles each time. */
const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 300_000

/** The maximum that `Retry-After` can request. */
const MAX_RETRY_AFTER_MS = 24 * 3600 * 1000

const SECRET = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/

/** The key of a secret as Standard Webhooks has it: `whsec_` and 24 to 64 bytes in base64; undefined where it is none. */
export function toKey(secret: string) {
  const [, base64] = SECRET.exec(secret) ?? []
  const key = Buffer.from(base64 ?? '', 'base64')
  return key.length >= 24 && key.length <= 64 ? key : undefined
}

export interface Webhook {
  url: URL
  key: Buffer
  /** Ends all tries. */
  signal: AbortSignal
  /** Called after a failed attempt, with the reason and the delay of the next one in milliseconds. */
  onFailure: (why: string, pauseMs: number) => void
  sleep: (ms: number) => Promise<unknown>
}

/** Posts a change until it is taken: false where the signal has ended that. */
export async function deliver(change: Change, webhook: Webhook) {
  const body = JSON.stringify({ type: change.kind, timestamp: change.at, data: change })
  for (let pause = FIRST_PAUSE_MS; !webhook.signal.aborted; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    const failure = await post(body, `msg_${change.cursor}`, webhook)
    if (failure === undefined) return true
    if (webhook.signal.aborted) return false
    const pauseMs = Math.max(pause, failure.retryAfterMs)
    webhook.onFailure(failure.why, pauseMs)
    await webhook.sleep(pauseMs)
  }
  return false
}

/** One attempt. @returns why it failed, without the content of the response. */
async function post(body: string, id: string, { url, key, signal }: Webhook) {
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
  const send = async (ended: AbortSignal) => {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: ended })
    await response.body?.cancel()
    return response
  }
  try {
    const response = await withDeadline(TRY_MS, signal, send)
    if (response.ok) return undefined
    return { why: `status ${response.status}`, retryAfterMs: toMilliseconds(response.headers.get('retry-after')) }
  } catch (error) {
    return { why: reasonOf(error), retryAfterMs: 0 }
  }
}

function reasonOf(error: unknown) {
  if (isTimeout(error)) return `no response within ${TRY_MS / 1000} seconds`
  const cause = error instanceof Error ? error.cause : undefined
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'the connection failed'
}

/** Parses `Retry-After`: seconds or a date. */
function toMilliseconds(retryAfter: string | null) {
  if (retryAfter === null) return 0
  const ms = /^[0-9]+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now()
  return Math.min(Math.max(ms || 0, 0), MAX_RETRY_AFTER_MS)
}

import { createHmac } from 'node:crypto'
import { isTimeout, withDeadline } from '../../abort-signals.ts'
import type { Change } from '../../schemas/changes.ts'

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

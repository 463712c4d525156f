import type pg from 'pg'

/** Imports wait for each other: two that touch the same campaigns would otherwise block one another. */
const IMPORT_LOCK = 7_201_001

/** How often a wait is told. */
const TELL_MS = 10_000

/**
 * Waits until no other import is at work, and says so. From here on the database ends this one where nothing is heard of
 * it for 30 seconds: a process that is frozen must not keep the others waiting.
 */
export async function takeImportLock(client: pg.Client, onNotice: (text: string) => void = () => undefined) {
  await client.query("set local idle_in_transaction_session_timeout = '30s'")
  const { rows } = await client.query<{ isTaken: boolean }>('select pg_try_advisory_xact_lock($1) as "isTaken"', [
    IMPORT_LOCK,
  ])
  if (rows[0]?.isTaken) return
  const start = performance.now()
  const waited = () => `${Math.round((performance.now() - start) / 1000)} s`
  onNotice('another import is at work: waiting for its end')
  const timer = setInterval(() => onNotice(`another import is at work: waiting for its end for ${waited()}`), TELL_MS)
  try {
    await client.query('select pg_advisory_xact_lock($1)', [IMPORT_LOCK])
    onNotice(`the other import has ended: waited for ${waited()}`)
  } finally {
    clearInterval(timer)
  }
}

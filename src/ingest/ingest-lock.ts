import type pg from 'pg'

/** Imports wait for each other: two that change the same campaigns would otherwise deadlock. */
const IMPORT_LOCK = 7_201_001

/** How often a wait is reported. */
const LOG_INTERVAL_MS = 10_000

/** From here on the database ends an idle transaction: a frozen process must not keep others waiting. */
const endWhenIdle = "set_config('idle_in_transaction_session_timeout', '30s', true)"

/** Waits until no other import is at work, and reports the wait. */
export async function takeImportLock(client: pg.Client, onNotice?: (text: string) => void) {
  if (onNotice === undefined) {
    await client.query({ name: 'import_lock', text: `select ${endWhenIdle}, pg_advisory_xact_lock(${IMPORT_LOCK})` })
    return
  }
  await client.query(`select ${endWhenIdle}`)
  const { rows } = await client.query<{ isTaken: boolean }>('select pg_try_advisory_xact_lock($1) as "isTaken"', [
    IMPORT_LOCK,
  ])
  if (rows[0]?.isTaken) return
  const start = performance.now()
  const waited = () => `${Math.round((performance.now() - start) / 1000)} s`
  onNotice('another import is running, waiting')
  const timer = setInterval(() => onNotice(`another import is running, waiting for ${waited()}`), LOG_INTERVAL_MS)
  try {
    await client.query('select pg_advisory_xact_lock($1)', [IMPORT_LOCK])
    onNotice(`the other import has finished, waited for ${waited()}`)
  } finally {
    clearInterval(timer)
  }
}

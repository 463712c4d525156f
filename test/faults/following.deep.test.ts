import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { exportToFolder } from '../../src/commands/export/export.ts'
import { readSettings } from '../../src/config.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import type { ClaimRecord, ImportRecord } from '../../src/ingest/records.ts'
import type { Batch } from '../../src/ingest/staging/staged-batches.ts'
import { aFolder, recordsOf } from '../setup/data/copied-folders.ts'
import { createRandom } from '../setup/data/random-records.ts'
import { generateSmallSample } from '../setup/data/small-sample.ts'
import { toClaimIdentity, toLowerCase, toRemoval } from '../setup/records.ts'
import { followChanges, newestChange, storedCopy } from '../setup/requests/following-changes.ts'
import { type RunningProcess, startCli } from '../setup/servers/processes.ts'
import { openPrimary } from '../setup/servers/replicated-server.ts'
import { closedPort } from '../setup/servers/sockets.ts'
import { waitFor } from '../setup/wait-for.ts'

const SEED = 5

const random = createRandom(SEED)

/** Claims as they were imported last. */
const claims = new Map<string, ClaimRecord>()
const keyOf = ({ txHash, logIndex }: ClaimRecord) => `${txHash} ${logIndex}`

/** Something of everything that a writer does: new and replaced records, removals, and what an indexer withdraws. */
function nextBatch(seed: number): Batch {
  const records = toLowerCase([
    ...generateSmallSample({ campaigns: 5, claims: 40, seed, now: new Date() }, { isRepeated: true }),
  ])
  const price: ImportRecord[] = records
    .filter((record) => record.type === 'token')
    .map(({ chainId, address }) => ({
      ...{ type: 'tokenPrice', chainId, address },
      ...{ at: `2025-0${random.integer(1, 9)}-01T00:00:00Z`, priceUsd: String(random.integer(1, 9)) },
    }))
  const touched = random.some([...claims.values()], 0.3)
  const replaced = touched
    .filter((_, index) => index % 3 === 0)
    .map((claim) => ({ ...claim, amount: `${claim.amount}1` }))
  const removed = touched.filter((_, index) => index % 3 === 1)
  const withdrawn = touched.filter((_, index) => index % 3 === 2)
  for (const claim of [...removed, ...withdrawn]) claims.delete(keyOf(claim))
  for (const record of [...replaced, ...records]) if (record.type === 'claim') claims.set(keyOf(record), record)
  const isGone = (claim: ClaimRecord) => !claims.has(keyOf(claim))
  return {
    records: [...records, ...price, ...replaced],
    removals: removed.filter(isGone).map(toRemoval),
    revertedClaims: withdrawn.filter(isGone).map(toClaimIdentity),
  }
}

/** A process that is started again with other settings, as after a crash. */
function restartable(start: (url: string) => RunningProcess, url: string) {
  let current = start(url)
  return {
    async kill() {
      current.child.kill('SIGKILL')
      await current.ended
    },
    async end() {
      current.child.kill('SIGTERM')
      await current.ended
    },
    start(url: string) {
      current = start(url)
    },
    [Symbol.asyncDispose]: () => current[Symbol.asyncDispose](),
  }
}

test('who follows at a process on the primary and one on its standby has all data in the end, each change once and in order, whatever is killed', async () => {
  await using primary = await openPrimary()
  let ingest = await openIngest(primary.url)
  let batches = 0
  const writeNext = () => ingest.apply(nextBatch(batches++))
  await writeNext()
  await using standby = await primary.openReplica()
  // What anybody has seen is not lost with the primary.
  await primary.query(`alter system set synchronous_standby_names = '*'`)
  await primary.query('select pg_reload_conf()')

  const ports = [await closedPort(), await closedPort()]
  const bases = ports.map((port) => `http://127.0.0.1:${port}`)
  const servingOn = (port: number | undefined) => (url: string) =>
    startCli(['serve'], { DATABASE_URL: url, PORT: String(port), SURFACES: 'public', MAX_EVENT_LOOP_DELAY_MS: '0' })
  await using first = restartable(servingOn(ports[0]), primary.url)
  await using second = restartable(servingOn(ports[1]), standby.url)
  await using folder = await aFolder()
  const copyingTo = (url: string) => startCli(['export', folder.path, '--follow'], { DATABASE_URL: url })
  await using copying = restartable(copyingTo, primary.url)
  const cursorOf = () => readFile(join(folder.path, 'cursor.json'), 'utf8').catch(() => undefined)
  await waitFor(cursorOf)
  const start = await waitFor(() =>
    fetch(`${bases[0]}/changes`).then(
      async (response) => ((await response.json()) as { nextCursor?: string }).nextCursor,
      () => undefined,
    ),
  )
  const content = await storedCopy(primary)

  let end: string | undefined
  const following = (['stream', 'polling', 'stream', 'polling'] as const).map((way, index) =>
    followChanges({ way, bases, end: () => end, random: createRandom(index + 1) }, start, content),
  )
  await writeNext()
  await copying.kill()
  await first.kill()
  await writeNext()
  copying.start(standby.url)
  first.start(primary.url)
  await writeNext()
  await second.kill()
  await writeNext()
  second.start(standby.url)

  const interrupted = nextBatch(batches++)
  const writing = ingest.apply(interrupted).catch(() => undefined)
  await sleep(random.integer(0, 100))
  await primary.kill()
  await writing
  await ingest.close()
  await standby.query('select pg_promote()')
  ingest = await openIngest(standby.url)
  // Nobody knows whether it came to be.
  await ingest.apply(interrupted)
  await writeNext()
  await first.kill()
  await copying.end()
  first.start(standby.url)
  await writeNext()
  await ingest.close()
  end = await newestChange(String(bases[1]), start)
  const copies = await Promise.all(following)
  const stored = await storedCopy(standby)
  expect(stored.claims.length).toBeGreaterThan(100)
  for (const copy of copies) expect(copy.content()).toEqual(stored)

  await using anew = await aFolder()
  for (const { path } of [folder, anew]) {
    await exportToFolder(readSettings({ DATABASE_URL: standby.url }), path, { format: 'ndjson' })
  }
  expect(await recordsOf(folder.path)).toEqual(await recordsOf(anew.path))
}, 120_000)

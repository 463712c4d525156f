import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSettings } from '../src/config.ts'
import { createDataFolder } from '../src/process/database-access.ts'
import { openEmbeddedDatabase } from '../src/process/embedded-database.ts'

/*
 * `npm run dev`: serves the sources and pages as they are, and starts the service again after each change. The embedded
 * PostgreSQL stays up meanwhile.
 */

const root = join(import.meta.dirname, '..')

/** What the service and its pages are made of. */
const WATCHED = ['src', 'packages', 'build', 'migrations', 'docs', 'README.md', 'CHANGELOG.md', 'openapi.json', '.env']

const POLL_MS = 300

const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort())

const settings = readSettings()
const database =
  settings.DATABASE_URL === undefined
    ? await openEmbeddedDatabase(await createDataFolder(settings.DATA_DIR))
    : undefined
while (!ending.signal.aborted) await serveUntilChange()
await database?.close()

async function serveUntilChange() {
  const before = readStates()
  const service = spawn(process.execPath, [join(root, 'build/start.mjs'), 'serve'], { stdio: 'inherit' })
  const ended = once(service, 'exit')
  // A service that has failed starts again after a change, too.
  const changed = await waitForChange(before)
  if (changed !== undefined) process.stderr.write(`${changed} has changed, restarting\n`)
  service.kill()
  await ended
}

/** A file that differs from what it was; undefined at the end of the process. */
async function waitForChange(before: ReadonlyMap<string, string>) {
  while (!ending.signal.aborted) {
    await sleep(POLL_MS, undefined, { signal: ending.signal }).catch(() => undefined)
    const now = readStates()
    const changed = [...before.keys(), ...now.keys()].find((path) => before.get(path) !== now.get(path))
    if (changed !== undefined) return changed
  }
  return undefined
}

/** Looked at again and again: that works alike on all systems, and however an editor replaces a file. */
function readStates() {
  return new Map(WATCHED.flatMap(statesOf))
}

/** What changes whenever a file, or one below a folder, does; nothing of what is not there. */
function statesOf(path: string): [path: string, state: string][] {
  const found = statSync(join(root, path), { throwIfNoEntry: false })
  if (found === undefined) return []
  if (!found.isDirectory()) return [[path, `${found.size} ${found.ctimeMs}`]]
  const names = readdirSync(join(root, path)).filter((name) => name !== 'node_modules' && name !== 'dist')
  return names.flatMap((name) => statesOf(`${path}/${name}`))
}

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { query } from '../../packages/embedded-postgres/test/setup/servers.ts'
import { doctor } from '../../src/commands/doctor.ts'
import { migrate } from '../../src/commands/migrate.ts'
import { rebuildDatabase } from '../../src/commands/rebuild.ts'
import { readSettings } from '../../src/config.ts'
import { readSchemaSources } from '../../src/database/schema-sources.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { generateSmallSample } from '../setup/data/small-sample.ts'
import { firstOf } from '../setup/repetitions.ts'
import { databaseUrl } from '../setup/servers/database-url.ts'
import { OLDEST_VERSION, programsOf, startDebianServer } from '../setup/servers/debian-server.ts'
import { runInProcess } from '../setup/servers/in-process.ts'
import { RunningProcess } from '../setup/servers/processes.ts'
import { makeServerFolder } from '../setup/servers/server-folder.ts'

/** A server on which roles and databases can be made. */
interface Server extends AsyncDisposable {
  url: string
}

const oldestServer = () => startDebianServer(OLDEST_VERSION, 'C.UTF-8')

/** That of all tests, whose programs for clients are not part of it. */
const newestServer = async (): Promise<Server> => ({
  url: inject('serverUrl'),
  [Symbol.asyncDispose]: async () => undefined,
})

const NEWEST_VERSION = 18
const isThere = (version: number) => existsSync(join(programsOf(version), 'pg_dump'))

/** Two roles on a server; the same on another one, for a dump names them. */
async function withRoles<T>({ url }: Server, names: { owner: string; serving: string }, use: () => Promise<T>) {
  for (const role of Object.values(names)) await query(url, `create role ${role} login password '${role}'`)
  try {
    return await use()
  } finally {
    const { rows } = {
      rows: await query(url, `select datname from pg_database where datdba = '${names.owner}'::regrole`),
    }
    for (const { datname } of rows) await query(url, `drop database ${datname} with (force)`)
    for (const role of Object.values(names)) await query(url, `drop role ${role}`)
  }
}

async function createOwnedDatabase({ url }: Server, owner: string) {
  const name = `test_${randomBytes(8).toString('hex')}`
  await query(url, `create database ${name} owner ${owner}`)
  return Object.assign(new URL(databaseUrl(url, name)), { username: owner, password: owner }).href
}

/** Each line of `doctor --all` whose state is not `ok`. */
async function findingsIn(url: string, servingRole: string) {
  const { stdout } = await runInProcess(() =>
    doctor(readSettings({ DATABASE_URL: url }), { all: true, json: true, servingRole }),
  )
  const findings: { check: string; state: string; found: string }[] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(findings.length).toBe(15)
  return findings.filter(({ state }) => state !== 'ok')
}

async function run(version: number, program: string, ...parameters: string[]) {
  await using running = new RunningProcess([join(programsOf(version), program), ...parameters])
  const { code, stderr } = await running.ended
  expect({ code, stderr }, program).toEqual({ code: 0, stderr: '' })
}

/** Dropping these takes generated columns along, and with them what is stored there. */
const NEEDED_BY_COLUMNS = ['score_bucket', 'word_starts']

/** With the programs of a version: a dump of one server, restored on another, which may be newer. */
async function dumpAndRestore(
  version: number,
  source: Server,
  target: Server,
  use: (names: { url: string; serving: string }) => Promise<void>,
) {
  const [owner, serving] = ['owner', 'serving'].map((role) => `test_${role}_${randomBytes(6).toString('hex')}`)
  const names = { owner: String(owner), serving: String(serving) }
  const folder = await makeServerFolder('restore')
  const restore = async () => {
    const url = await createOwnedDatabase(target, names.owner)
    await run(version, 'pg_restore', `--dbname=${url}`, '--no-owner', '--exit-on-error', join(folder, 'dump'))
    await runInProcess(() => migrate(readSettings({ DATABASE_URL: url }), { servingRole: names.serving }))
    await use({ url, serving: names.serving })
  }
  try {
    await withRoles(source, names, async () => {
      const url = await createOwnedDatabase(source, names.owner)
      await runInProcess(() => migrate(readSettings({ DATABASE_URL: url }), { servingRole: names.serving }))
      const sample = generateSmallSample({ campaigns: 30, claims: 200, seed: 1, now: new Date() })
      await importRecords(url, [toRecordSource('the sample', [...sample])])
      await run(version, 'pg_dump', '--format=custom', `--file=${join(folder, 'dump')}`, url)
      await (source === target ? restore() : withRoles(target, names, restore))
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const title = (version: number) => (isThere(version) ? '' : `, whose programs are not at ${programsOf(version)}`)

describe.each(
  firstOf([
    { name: `PostgreSQL ${OLDEST_VERSION}`, version: OLDEST_VERSION, source: oldestServer },
    { name: `PostgreSQL ${NEWEST_VERSION}`, version: NEWEST_VERSION, source: newestServer },
    {
      name: 'an older server, restored on a newer one',
      version: OLDEST_VERSION,
      source: oldestServer,
      target: newestServer,
    },
  ]),
)('a dump of $name', ({ version, source, target }) => {
  test.skipIf(!isThere(version))(
    `is restored whole: doctor finds nothing, and after each object was dropped, rebuild brings it back${title(version)}`,
    async () => {
      await using dumped = await source()
      await using restored = await (target ?? newestServer)()
      await dumpAndRestore(version, dumped, target === undefined ? dumped : restored, async ({ url, serving }) => {
        expect(await findingsIn(url, serving)).toEqual([])
        const dropped = readSchemaSources().filter(({ name }) => !NEEDED_BY_COLUMNS.includes(name))
        for (const { kind, name } of dropped) await query(url, `drop ${kind} if exists ${name} cascade`)
        expect(await findingsIn(url, serving)).not.toEqual([])
        const { code, stderr } = await runInProcess(() => rebuildDatabase(readSettings({ DATABASE_URL: url })))
        expect(code, stderr).toBe(0)
        for (const { kind, name } of dropped) expect(stderr).toContain(`restoring ${kind} ${name}\n`)
        expect(await findingsIn(url, serving)).toEqual([])
      })
    },
  )
})

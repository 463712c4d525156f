import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RunningProcess } from '../../setup/servers/processes.ts'
import { closedPort } from '../../setup/servers/sockets.ts'

const PROGRAMS = ['/usr/local/bin/pgbouncer', '/usr/sbin/pgbouncer']

/** The oldest that knows named statements is 1.21. */
const OLDEST_MINOR = 21

/** Sessions on the server that all connections share. */
export const POOL_SIZE = 5

const minorVersionOf = (program: string) =>
  Number(/PgBouncer 1\.(\d+)/.exec(String(spawnSync(program, ['--version']).stdout))?.[1] ?? 0)

/** PgBouncer is no dependency of the project; where one that we speak of is installed, it is put in between. */
const program = PROGRAMS.find((path) => minorVersionOf(path) >= OLDEST_MINOR)

export const hasPgbouncer = program !== undefined

/** For the titles of tests that are skipped. */
export const throughPgbouncer = hasPgbouncer
  ? 'through PgBouncer in transaction mode'
  : `through PgBouncer, of which 1.${OLDEST_MINOR} or newer is at none of ${PROGRAMS.join(', ')}`

/** PgBouncer in transaction mode, in front of a database. @param settings lines of its configuration. */
export async function startPgbouncer(databaseUrl: string, settings: string) {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
  const users = join(folder, 'users')
  const configuration = join(folder, 'pgbouncer.ini')
  const ownPort = await closedPort()
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`)
  await writeFile(
    configuration,
    `[databases]
    * = host=${hostname} port=${port}
    [pgbouncer]
    listen_addr = 127.0.0.1
    listen_port = ${ownPort}
    unix_socket_dir =
    auth_type = scram-sha-256
    auth_file = ${users}
    pool_mode = transaction
    default_pool_size = ${POOL_SIZE}
    ${settings}`,
  )
  // It does not run as root, and reads these as anyone who it becomes.
  await chmod(folder, 0o755)
  const isRoot = process.getuid?.() === 0
  const pgbouncer = new RunningProcess([program ?? '', ...(isRoot ? ['--user', 'nobody'] : []), configuration])
  await pgbouncer.said(/(listening on)/)
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${ownPort}${pathname}`,
    async [Symbol.asyncDispose]() {
      await pgbouncer[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, chown, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeServerFolder } from './server-folder.ts'

/** Where Debian has the programs of a version of PostgreSQL. */
export const programsOf = (version: number) => `/usr/lib/postgresql/${version}/bin`

/** The oldest version that may be used; all other tests run on a newer one. */
export const OLDEST_VERSION = 15

/** As the title of what needs the oldest version, which says where it is looked for. */
export const isOldestThere = existsSync(programsOf(OLDEST_VERSION))
export const onOldest = `on PostgreSQL ${OLDEST_VERSION}${isOldestThere ? '' : `, which is not at ${programsOf(OLDEST_VERSION)}`}`

/** PostgreSQL refuses to run as root: then it runs as `nobody`. */
export const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

export interface DebianServer extends AsyncDisposable {
  /** What it consists of, which belongs to the account that runs it; its socket, where nobody needs a password. */
  folder: string
  /** Of its superuser, who logs in with a password as everybody does. */
  url: string
  port: number
  /** The data, which belongs to the account that runs the server. */
  data: string
  /** A program of PostgreSQL, as that account, with the password of the superuser. */
  run: (program: string, ...parameters: string[]) => Promise<string>
}

export const SUPERUSER_PASSWORD = 'superuser'

/** A server with Debian's programs, in which there is nothing yet. */
export async function startDebianServer(version = OLDEST_VERSION, locale = 'C'): Promise<DebianServer> {
  const folder = await makeServerFolder('debian-server')
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, SUPERUSER_PASSWORD)
  if (account.uid !== undefined) {
    for (const path of [folder, passwordFile]) await chown(path, account.uid, account.gid)
  }
  const env = { PATH: `${programsOf(version)}:/usr/bin:/bin`, PGPASSWORD: SUPERUSER_PASSWORD }
  const run = async (program: string, ...parameters: string[]) =>
    (await promisify(execFile)(join(programsOf(version), program), parameters, { ...account, env, cwd: folder })).stdout
  await run(
    'initdb',
    '-D',
    data,
    '-U',
    'postgres',
    '-E',
    'UTF8',
    `--locale=${locale}`,
    '--no-sync',
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    `--pwfile=${passwordFile}`,
  )
  const port = await freePort()
  const settings = [`port = ${port}`, `unix_socket_directories = '${folder}'`, 'fsync = off', 'wal_log_hints = on']
  await appendFile(join(data, 'postgresql.conf'), `${settings.join('\n')}\n`)
  await run('pg_ctl', 'start', '-D', data, '-w', '-l', join(folder, 'log'))
  return {
    url: `postgres://postgres:${SUPERUSER_PASSWORD}@127.0.0.1:${port}/postgres`,
    folder,
    port,
    data,
    run,
    async [Symbol.asyncDispose]() {
      await run('pg_ctl', 'stop', '-D', data, '-m', 'immediate')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lchown, mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { EmbeddedServerError, lastErrorLines } from './embedded-error.ts'
import { isThere, requireOwned, requireOwnFolder } from './embedded-folder.ts'
import { findServerPrograms, type ServerPrograms } from './embedded-programs.ts'

/** Parameters of PostgreSQL, unless the caller sets others. */
const SERVER_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
}

/** Name of the cluster in its data folder. */
const CLUSTER = 'postgres'

export type Cluster = Awaited<ReturnType<typeof openCluster>>

/**
 * The cluster of a data folder, and its server. Nothing here waits for other processes.
 * @throws EmbeddedServerError if the folder, or its content, cannot be used.
 */
export async function openCluster(dataFolder: string, serverSettings: Record<string, string>) {
  // pg_ctl passes the name to a shell, in quotes that these characters would end.
  if (/["$`\n]/.test(resolve(dataFolder)))
    throw new EmbeddedServerError(`the folder ${resolve(dataFolder)} must not have any of " $ \` in its name`)
  const programs = await findServerPrograms()
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const folder = await realpath(dataFolder)
  await requireOwnFolder(folder)

  const cluster = join(folder, CLUSTER)
  const passwordFile = join(folder, 'password')
  const portFile = join(folder, 'port')

  async function startOn(port: number) {
    const settings = { ...SERVER_SETTINGS, port: String(port), ...serverSettings }
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`)
    try {
      await programs.run('pg_ctl', cluster, ['start', '-w', '-t', '120', '-l', 'server.log', '-o', options.join(' ')])
    } catch (error) {
      const log = await readFile(join(cluster, 'server.log'), 'utf8').catch(() => '')
      throw new EmbeddedServerError(`the embedded PostgreSQL did not start: ${lastErrorLines(log)}`, { cause: error })
    }
    await writeFile(portFile, String(port))
  }

  return {
    /** The data folder, without symbolic links. */
    folder,
    startOn,
    /** Creates the cluster if there is none, and returns the password of its superuser. */
    async create(onCreate?: () => void) {
      if (!(await isThere(cluster))) {
        onCreate?.()
        await initialize(programs, folder, passwordFile)
      }
      await requireOwned(cluster, 'folder', programs.account?.uid)
      await requireOwned(passwordFile, 'secret file')
      return readFile(passwordFile, 'utf8')
    },
    /** The port of the running server; undefined if none runs. */
    async runningPort() {
      await disownOtherProcess(cluster)
      const isRunning = await programs.run('pg_ctl', cluster, ['status']).then(
        () => true,
        () => false,
      )
      if (!isRunning) return undefined
      const [, , , port] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')
      return Number(port)
    },
    /** Starts the server, on its previous port if that is free. */
    async start() {
      const lastPort = Number(await readFile(portFile, 'utf8').catch(() => '0'))
      const port = await freePort(lastPort).catch(() => freePort(0))
      await startOn(port)
      return port
    },
    stop: () => programs.run('pg_ctl', cluster, ['stop', '-m', 'fast', '-w']),
  }
}

/** No process has this number. */
const NO_PROCESS = 0x7fff_ffff

/**
 * The file that names the process of the server outlives a crash of the machine or of its container, and by then another process may
 * have its number: PostgreSQL would take it for the server, which works in the folder of the cluster. Then the file names no process.
 * The rest of it stays, by which PostgreSQL finds out whether the memory of that server is still in use.
 */
async function disownOtherProcess(cluster: string) {
  const file = await open(join(cluster, 'postmaster.pid'), constants.O_RDWR | constants.O_NOFOLLOW).catch(
    () => undefined,
  )
  if (file === undefined) return
  try {
    const [pid = '', ...rest] = (await file.readFile('utf8')).split('\n')
    // Undefined where the system does not tell, or there is no such process.
    const folder = await stat(`/proc/${Number(pid)}/cwd`).catch(() => undefined)
    const own = await stat(cluster)
    if (folder === undefined || (folder.dev === own.dev && folder.ino === own.ino) || rest.length === 0) return
    await file.truncate(0)
    await file.write([NO_PROCESS, ...rest].join('\n'), 0)
  } finally {
    await file.close()
  }
}

/** The cluster is renamed when it is complete: what a killed run has left has another name. */
async function initialize(programs: ServerPrograms, folder: string, passwordFile: string) {
  const unfinished = join(folder, 'postgres.unfinished')
  await rm(unfinished, { recursive: true, force: true })
  await rm(passwordFile, { force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' })
  const parameters = [
    ...['--username', 'postgres', '--auth', 'scram-sha-256', '--encoding', 'UTF8'],
    ...['--locale', 'C.UTF-8', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
  ]
  if (programs.account === undefined) {
    await programs.run('initdb', unfinished, [...parameters, '--pwfile', passwordFile])
  } else {
    const { uid, gid } = programs.account
    await lchown(unfinished, uid, gid)
    // The other account cannot reach the file by its path: it gets the opened file for the duration of the call.
    const password = await open(passwordFile)
    try {
      await password.chown(uid, gid)
      await programs.run('initdb', unfinished, [...parameters, '--pwfile', '/dev/stdin'], password.fd)
      await password.chown(0, 0)
    } finally {
      await password.close()
    }
  }
  await rename(unfinished, join(folder, CLUSTER))
}

/** A port on which nothing listens: the wanted one, or any for 0. */
async function freePort(preferred: number): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening, failed) => server.once('error', failed).listen(preferred, '127.0.0.1', listening))
  const address = server.address()
  await new Promise((closed) => server.close(closed))
  if (address === null || typeof address === 'string') throw new EmbeddedServerError('no free port was found')
  return address.port
}

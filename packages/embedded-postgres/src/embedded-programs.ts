import { execFile, spawn } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { EmbeddedServerError, lastErrorLines } from './embedded-error.ts'
import { foldersAbove, isThere, requireOwnFolder } from './embedded-folder.ts'

const run = promisify(execFile)

/** The folder for copies of programs that `nobody` cannot run where they are installed. Only root can write here. */
const CACHE = '/var/cache/embedded-postgres'

/** An account of the operating system. */
interface Account {
  uid: number
  gid: number
}

/** PostgreSQL's programs, run by an account that PostgreSQL accepts. */
export interface ServerPrograms {
  /** The owner of the cluster; undefined if it is the account of this process. */
  account: Account | undefined
  /** Runs a program on the folder of a cluster, with a file as its standard input. */
  run: (program: 'initdb' | 'pg_ctl', cluster: string, parameters: string[], input?: number) => Promise<void>
}

/**
 * The programs of the package, run by the account of this process; if that is root, which PostgreSQL refuses, by
 * `nobody`. `nobody` gets no additional rights: if it cannot traverse the parents of the cluster, it gets the cluster
 * as its working folder, which root opens for it.
 */
export async function findServerPrograms(): Promise<ServerPrograms> {
  const binaries = await findBinaries()
  if (process.getuid?.() !== 0) {
    return {
      account: undefined,
      run: (program, cluster, parameters, input) =>
        runApart(join(binaries, program), ['-D', cluster, ...parameters], { cwd: cluster, input }),
    }
  }
  const [uid, gid] = await Promise.all([accountId('-u'), accountId('-g')])
  const programs = await reachableByAll(binaries)
  // Only Linux has this name for it.
  const cwdName = process.platform === 'linux' ? '/proc/self/cwd' : undefined
  return {
    account: { uid, gid },
    run: (program, cluster, parameters, input) =>
      runApart(join(programs, program), ['-D', cwdName ?? cluster, ...parameters], { cwd: cluster, input, uid, gid }),
  }
}

const accountId = async (flag: '-u' | '-g') => Number((await run('id', [flag, 'nobody'])).stdout)

/** Runs a program in its own session, where neither Ctrl-C nor a signal to the process group reaches it. */
async function runApart(
  program: string,
  parameters: string[],
  { input, ...options }: { cwd: string; input: number | undefined; uid?: number; gid?: number },
) {
  const child = spawn(program, parameters, {
    ...options,
    detached: true,
    windowsHide: true,
    stdio: [input ?? 'ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new EmbeddedServerError(`the embedded PostgreSQL failed: ${lastErrorLines(output)}`))
    })
  })
}

/**
 * The folder of PostgreSQL's programs.
 * @throws EmbeddedServerError if the package for this machine is not installed, as in the image.
 */
export async function findBinaries() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  let binaries: string
  try {
    const { pg_ctl }: { pg_ctl: string } = await import(name)
    binaries = await realpath(dirname(pg_ctl))
  } catch (error) {
    throw new EmbeddedServerError(`no PostgreSQL is embedded here (${name} is not installed)`, {
      problem: 'not-installed',
      cause: error,
    })
  }
  await requireLinks(join(binaries, '../..'), name)
  return binaries
}

/** The install script of the package creates the links between its libraries, which no npm package can contain. */
async function requireLinks(installed: string, name: string) {
  const list = await readFile(join(installed, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { target: string }[] = JSON.parse(list)
  const areThere = await Promise.all(links.map(({ target }) => isThere(join(installed, target))))
  if (areThere.every(Boolean)) return
  throw new EmbeddedServerError(
    `the embedded PostgreSQL is not complete, as after \`npm ci --ignore-scripts\`: run \`npm rebuild ${name}\``,
    { problem: 'incomplete' },
  )
}

/**
 * The folder of the programs, or of a copy if other accounts cannot run them (below root's home folder, for example).
 * The copy is renamed when it is complete.
 */
export async function reachableByAll(binaries: string, cache = CACHE) {
  if (await isOpenToAll(binaries)) return binaries
  const installed = dirname(binaries)
  const { version }: { version: string } = JSON.parse(await readFile(join(installed, '../package.json'), 'utf8'))
  const copy = join(cache, `postgresql-${version}`)
  try {
    await mkdir(cache, { recursive: true })
    await requireOwnFolder(cache)
    await chmod(cache, 0o755)
    if (!(await isThere(copy))) await copyAtOnce(installed, copy)
    await requireOwnFolder(copy)
    return join(copy, 'bin')
  } catch (error) {
    if (error instanceof EmbeddedServerError) throw error
    throw new EmbeddedServerError(
      `as root, PostgreSQL is run by nobody, who cannot reach ${binaries}, and there is no place for a copy in ${cache}: install the program where all accounts may read, or run it as another account`,
      { cause: error },
    )
  }
}

async function copyAtOnce(source: string, target: string) {
  const unfinished = await mkdtemp(`${target}-`)
  try {
    await cp(source, unfinished, { recursive: true, verbatimSymlinks: true })
    await run('chmod', ['-R', 'a+rX,go-w', unfinished])
    await rename(unfinished, target)
  } catch (error) {
    // Another process may have been faster.
    if (!(await isThere(target))) throw error
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const modes = await Promise.all([folder, ...foldersAbove(folder)].map(async (path) => (await stat(path)).mode))
  return modes.every((mode) => (mode & 0o001) !== 0)
}

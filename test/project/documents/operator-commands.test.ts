import { chmod, chown, cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { query } from '../../../packages/embedded-postgres/test/setup/servers.ts'
import { readDocument, root } from '../../setup/documents/documents.ts'
import {
  account,
  type DebianServer,
  freePort,
  isOldestThere,
  OLDEST_VERSION,
  onOldest,
  programsOf,
  SUPERUSER_PASSWORD,
  startDebianServer,
} from '../../setup/servers/debian-server.ts'
import { CLI, RunningProcess } from '../../setup/servers/processes.ts'
import { makeServerFolder } from '../../setup/servers/server-folder.ts'
import { waitFor } from '../../setup/wait-for.ts'

/*
 * The commands of the guides for operators, from top to bottom: each on a server of its own, whose roles log in with passwords.
 */

/** What is typed at a shell according to a guide. */
const commandsOf = (guide: string) =>
  readDocument(`docs/guides/${guide}.md`)
    .blocks.filter(({ language }) => language === 'sh')
    .map(({ text }) => text)
    .join('\n')

/** What a guide says in a shell of its own, without what others have set. */
const inSubshell = (guide: string) => `(\necho "== ${guide}"\n${commandsOf(guide)})`

/** Serves until it is ready, and ends it then. */
const SERVE = (cli: string) => `
log=$(mktemp)
PORT=0 ENV_FILE=/dev/null "${process.execPath}" "${cli}" serve >"$log" 2>&1 & pid=$!
for attempt in $(seq 200); do
  url=$(grep -o 'http://127.0.0.1:[0-9]*' "$log" | head -1)
  if [ -n "$url" ] && curl -sf "$url/readyz" >/dev/null; then ready=yes; break; fi
  sleep 0.1
done
kill $pid; wait $pid
[ "\${ready:-}" = yes ] || { cat "$log"; exit 1; }
echo 'it served'
`

interface Shell extends AsyncDisposable {
  /** Its current folder. */
  folder: string
  run: (script: string, variables?: Record<string, string>) => Promise<string>
}

/** A shell with the programs that the guides name, on the machine of a server. */
async function openShell(server: DebianServer, standbyPort = 0): Promise<Shell> {
  const folder = await makeServerFolder('operator')
  const bin = join(folder, 'bin')
  const work = join(folder, 'work')
  for (const path of [bin, work, join(folder, 'backup')]) await mkdir(path)
  const standby = join(folder, 'standby')
  for (const path of [folder, work, join(folder, 'backup')]) {
    await chmod(path, 0o755)
    if (account.uid !== undefined) await chown(path, account.uid, account.gid ?? 0)
  }
  const addProgram = async (name: string, script: string) =>
    writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const cli = join(root, CLI)
  await addProgram(
    'reward-campaigns',
    `if [ "$1" = serve ]; then ${SERVE(cli)} exit; fi\nENV_FILE=/dev/null exec "${process.execPath}" "${cli}" "$@"`,
  )
  const as = account.uid === undefined ? '' : `setpriv --reuid=${account.uid} --regid=${account.gid} --clear-groups `
  for (const name of ['pg_basebackup', 'pg_verifybackup', 'pg_rewind', 'pg_ctl']) {
    // Both servers are on this machine, and the copy of one has its port.
    const port =
      name === 'pg_ctl' ? `if [ "$1 $PGDATA" = "start ${standby}" ]; then set -- "$@" -o "-p ${standbyPort}"; fi\n` : ''
    await addProgram(name, `${port}exec ${as}"${join(programsOf(OLDEST_VERSION), name)}" "$@"`)
  }
  const tsx = import.meta.resolve('tsx')
  await addProgram(
    'docker',
    `exec "${process.execPath}" --import "${tsx}" "${join(root, 'test/setup/documents/compose-stand-in.ts')}" "$@"`,
  )
  await addProgram('iptables', '[ "$1 $2" = "--insert DOCKER-USER" ]')
  const path = `${bin}:${programsOf(OLDEST_VERSION)}:/usr/bin:/bin`
  return {
    folder: work,
    async run(script, variables = {}) {
      const here = script
        .replace(/(database|primary)\.example/g, `127.0.0.1:${server.port}`)
        .replaceAll('replica-1.example', `127.0.0.1:${standbyPort}`)
        .replaceAll('/backup/', `${folder}/backup/`)
        .replace(/^# on the (old )?primary.*$/gm, `export PGDATA="${server.data}"`)
        .replace(/^# on the standby.*$/gm, `export PGDATA="${standby}"`)
      await using shell = new RunningProcess(
        ['sh', '-c', `set -eu; umask 022\n${here}`],
        { PATH: path, ADMIN_PASSWORD: SUPERUSER_PASSWORD, ...variables },
        { cwd: work },
      )
      const { code, stdout, stderr } = await shell.ended
      expect(code, `${stdout}\n${stderr}`).toBe(0)
      // What doctor finds.
      expect(stdout).not.toMatch(/^[a-z ]+ (warning|failed) /m)
      return stdout
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A file of the sample data. */
const SAMPLE = join(root, 'sample-data/protocol-campaigns.ndjson')

const campaignsIn = async (url: string) => Number((await query(url, 'select count(*) from campaigns'))[0]?.count)

describe.skipIf(!isOldestThere)(`the commands of the guides ${onOldest}`, () => {
  test('on deploying, checks, backups, upgrades, replicas and failover run as the roles that they name', async () => {
    await using server = await startDebianServer(OLDEST_VERSION, 'C.UTF-8')
    const standbyPort = await freePort()
    await using shell = await openShell(server, standbyPort)
    const standby = { url: server.url.replace(`:${server.port}/`, `:${standbyPort}/`) }
    const on = ({ url }: { url: string }, database: string) =>
      Object.assign(new URL(url), { pathname: `/${database}` }).href
    const passwords = `printf 'OWNER=%s SERVING=%s\\n' "$OWNER_PASSWORD" "$SERVING_PASSWORD"`
    const deployed = await shell.run(`${commandsOf('deploying')}\n${passwords}`)
    expect(deployed).toContain('it served')
    const [, OWNER_PASSWORD = '', SERVING_PASSWORD = ''] = /^OWNER=(\w+) SERVING=(\w+)$/m.exec(deployed) ?? []
    const variables = { OWNER_PASSWORD, SERVING_PASSWORD }

    const importing = `DATABASE_URL=postgres://reward_campaigns@database.example/reward_campaigns PGPASSWORD=$OWNER_PASSWORD reward-campaigns import ${SAMPLE}`
    const operated = await shell.run(
      [importing, ...['checks-and-repairs', 'backup', 'upgrading'].map(inSubshell)].join('\n'),
      variables,
    )
    expect(operated.match(/^all derived data recomputed$/gm)).toHaveLength(1)
    const campaigns = await campaignsIn(on(server, 'reward_campaigns'))
    expect(campaigns).toBeGreaterThan(0)
    for (const restored of ['rewards_restored', 'rewards_new']) {
      expect(await campaignsIn(on(server, restored)), restored).toBe(campaigns)
    }

    try {
      // First the standby is made, which the commands above that serve from.
      const [serving = '', making = ''] = readDocument('docs/guides/read-replicas.md')
        .blocks.filter(({ language }) => language === 'sh')
        .map(({ text }) => text)
      const replicated = await shell.run(`(\n${making})\n(\n${serving})`, variables)
      expect(replicated.match(/^it served$/gm)).toHaveLength(2)
      expect(await query(standby.url, 'select pg_is_in_recovery() as "isStandby"')).toEqual([{ isStandby: true }])

      await shell.run(inSubshell('failover'), variables)
      expect(await query(standby.url, 'select pg_is_in_recovery() as "isStandby"')).toEqual([{ isStandby: false }])
      expect(await query(server.url, 'select pg_is_in_recovery() as "isStandby"')).toEqual([{ isStandby: true }])
      await query(on(standby, 'reward_campaigns'), 'create table since_then ()')
      await waitFor(async () => {
        const [found] = await query(on(server, 'reward_campaigns'), `select to_regclass('since_then') as name`)
        return found?.name === null ? undefined : true
      })
    } finally {
      await server
        .run('pg_ctl', 'stop', '-D', join(shell.folder, '../standby'), '-m', 'immediate')
        .catch(() => undefined)
    }
  })

  test('on Docker Compose run, with the command line and the programs of PostgreSQL in place of containers', async () => {
    await using server = await startDebianServer(OLDEST_VERSION, 'C.UTF-8')
    await using shell = await openShell(server)
    for (const name of ['docker-compose.yml', 'ops', 'sample-data']) {
      await cp(join(root, name), join(shell.folder, name), { recursive: true })
    }
    await symlink(join(root, 'node_modules'), join(shell.folder, 'node_modules'))
    // Nobody is there to follow a chain or to be notified: what they need is looked at in docker-compose.yml.
    const said = await shell.run(commandsOf('compose'), {
      CLI: join(root, CLI),
      SERVER_FOLDER: server.folder,
      SERVER_PORT: String(server.port),
    })
    expect(said).toMatch(/user-1/)
    expect(await readdir(join(shell.folder, 'export'))).toContain('campaigns.ndjson')
    const databases = await query(
      server.url,
      'select datname, pg_get_userbyid(datdba) as owner from pg_database order by 1',
    )
    expect(databases).toEqual(
      expect.arrayContaining([
        { datname: 'reward_campaigns', owner: 'reward_campaigns' },
        { datname: 'rewards_before', owner: 'reward_campaigns' },
      ]),
    )
    const on = (database: string) => Object.assign(new URL(server.url), { pathname: `/${database}` }).href
    expect(await campaignsIn(on('reward_campaigns'))).toBe(await campaignsIn(on('rewards_before')))
  })
})

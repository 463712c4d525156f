import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { query, serverPid } from '../../packages/embedded-postgres/test/setup/servers.ts'
import { openEmbeddedDatabase } from '../../src/process/embedded-database.ts'
import { aCampaign } from '../setup/records.ts'
import { aDataFolder, embeddedUrl } from '../setup/servers/data-folder.ts'
import { CLI, RunningProcess, runCli, startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'

/** So often on each of so many folders at the same time. */
const LANES = [5, 5]
const CTRL_C = '\x03'

/** `script` gives a command a terminal; where it is missing there is none to be had. */
const hasScript = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
})()

const settingsFor = (folder: string) => ({ DATA_DIR: folder, PORT: '0', SAMPLE_DATA: 'false', HOME: folder })

const startInTerminal = (folder: string, command = 'exec npm start') =>
  new RunningProcess(['script', '--quiet', '--return', '--command', command, '/dev/null'], settingsFor(folder))

const startInGroup = (folder: string, command = ['npm', 'start']) =>
  new RunningProcess(command, settingsFor(folder), { isLeader: true })

/** Sends a request that is answered no sooner than `release` says; it is under way when this returns. */
async function aSlowRequest(url: string, folder: string) {
  const holder = new pg.Client({ connectionString: await embeddedUrl(folder) })
  holder.on('error', () => undefined)
  await holder.connect()
  await holder.query('begin; lock table campaigns in access exclusive mode')
  const status = fetch(`${url}/campaigns?pageSize=7`).then(
    (response) => response.status,
    (error: unknown) => String(error),
  )
  await waitFor(async () => {
    const { rows } = await holder.query("select from pg_stat_activity where wait_event_type = 'Lock'")
    return rows.length > 0 ? true : undefined
  })
  return {
    status,
    async release() {
      await holder.query('rollback').catch(() => undefined)
      await holder.end().catch(() => undefined)
    },
  }
}

describe('a service that is asked to end', () => {
  const MINUTES = 60_000

  async function endsInOrder(folder: string, service: RunningProcess, ask: () => unknown) {
    const slow = await aSlowRequest(await service.ready(), folder)
    ask()
    await sleep(300)
    await slow.release()
    expect(await slow.status).toBe(200)
    expect(await service.ended).toMatchObject({ code: 0, signal: null })
    expect(await serverPid(folder)).toBe(undefined)
  }

  /** Starts and ends a service again and again on the same folder. */
  const endsEachTime = (start: (folder: string) => RunningProcess, ask: (service: RunningProcess) => unknown) =>
    Promise.all(
      LANES.map(async (times) => {
        await using data = await aDataFolder()
        for (let time = 0; time < times; time++) {
          await using service = start(data.folder)
          await endsInOrder(data.folder, service, () => ask(service))
        }
      }),
    )

  test.skipIf(!hasScript)(
    'by Ctrl-C in the terminal of `npm start` answers what is under way and leaves no server',
    { timeout: 5 * MINUTES },
    () => endsEachTime(startInTerminal, (service) => service.child.stdin.write(CTRL_C)),
  )

  test('by a signal for the process group of `npm start` does the same', { timeout: 5 * MINUTES }, () =>
    endsEachTime(startInGroup, (service) => process.kill(-(service.child.pid ?? 0), 'SIGTERM')),
  )

  test('by `timeout`, which signals it and its process group, does the same', async () => {
    await using data = await aDataFolder()
    await using service = startInGroup(data.folder, ['timeout', '600', 'node', CLI, 'serve'])
    const slow = await aSlowRequest(await service.ready(), data.folder)
    service.child.kill('SIGTERM')
    await sleep(300)
    await slow.release()
    expect(await slow.status).toBe(200)
    await service.ended
    expect(await serverPid(data.folder)).toBe(undefined)
  })

  test.skipIf(!hasScript)('by the end of its terminal leaves no server', async () => {
    await using data = await aDataFolder()
    await using terminal = startInTerminal(data.folder, `exec node ${CLI} serve`)
    const slow = await aSlowRequest(await terminal.ready(), data.folder)
    terminal.child.kill('SIGKILL')
    await sleep(300)
    await slow.release()
    expect(await slow.status).toBe(200)
    await waitFor(async () => ((await serverPid(data.folder)) === undefined ? true : undefined))
  })

  test('for the third time ends at once, and leaves no server all the same', async () => {
    await using data = await aDataFolder()
    await using service = startCli(['serve'], settingsFor(data.folder))
    const slow = await aSlowRequest(await service.ready(), data.folder)
    service.child.kill('SIGTERM')
    await sleep(300)
    service.child.kill('SIGTERM')
    await sleep(1000)
    expect(service.child.exitCode).toBe(null)
    service.child.kill('SIGTERM')
    expect(await service.ended).toMatchObject({ code: 143, signal: null })
    expect(await slow.status).not.toBe(200)
    expect(await serverPid(data.folder)).toBe(undefined)
    await slow.release()
  })

  test('while it starts for the first time ends too, and the next start works', { timeout: 5 * MINUTES }, async () => {
    // From before anything is there until its server runs.
    for (const mark of ['.', 'data/postgres.unfinished', 'data/postgres/postmaster.pid', 'data/port']) {
      await using parent = await aDataFolder({ isNew: true })
      const folder = join(parent.folder, 'data')
      await using service = startInGroup(folder, ['node', CLI, 'serve'])
      await waitFor(() => (existsSync(join(parent.folder, mark)) ? true : undefined))
      process.kill(-(service.child.pid ?? 0), 'SIGINT')
      const { code, stderr } = await service.ended
      expect([0, null]).toContain(code)
      expect(stderr).toBe('')
      expect(await serverPid(folder)).toBe(undefined)
      const next = await openEmbeddedDatabase(folder)
      expect(await query(next.url, 'select 7 as number')).toEqual([{ number: 7 }])
      await next.close()
      expect(await serverPid(folder)).toBe(undefined)
      // The schema is all that is left to be made.
      if (mark !== 'data/port') continue
      expect(await runCli(['migrate'], settingsFor(folder))).toMatchObject({ code: 0, stderr: '' })
      expect(await serverPid(folder)).toBe(undefined)
    }
  })
})

describe('a command that is asked to end', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('by %s leaves no server behind and ends with %i', async (signal, code) => {
    await using data = await aDataFolder()
    await using importing = startInGroup(data.folder, ['node', CLI, 'import', '-'])
    await waitFor(() => serverPid(data.folder))
    process.kill(-(importing.child.pid ?? 0), signal)
    expect(await importing.ended).toEqual({ code, signal: null, stdout: '', stderr: '' })
    expect(await serverPid(data.folder)).toBe(undefined)
  })

  test('leaves the server to those who still use it', async () => {
    await using data = await aDataFolder()
    await using service = startCli(['serve'], settingsFor(data.folder))
    const url = await service.ready()
    await using importing = startCli(['import', '-'], settingsFor(data.folder))
    importing.child.stdin.write(`${JSON.stringify(aCampaign())}\n`)
    const isImporting = "select from pg_stat_activity where application_name = 'reward-campaigns import'"
    await waitFor(async () => {
      const rows = await query(await embeddedUrl(data.folder), isImporting)
      return rows.length > 0 ? true : undefined
    })
    importing.child.kill('SIGINT')
    expect(await importing.ended).toMatchObject({ code: 130, stdout: '', stderr: '' })
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect(await (await fetch(`${url}/campaigns`)).json()).toEqual({ campaigns: [], totalCampaigns: 0 })
  })
})

test('a command whose output nobody reads any more ends all the same', async () => {
  await using cli = startCli(['import', '-'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' })
  cli.child.stderr.destroy()
  cli.child.stdout.destroy()
  cli.child.stdin.end()
  expect(await cli.ended).toMatchObject({ code: 1 })
})

import { spawn } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openEmbeddedServer } from '../../src/embedded/embedded-postgres.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { aDataFolder, embeddedUrl, isRunning, killServer, query, serverPid } from '../setup/servers/data-folder.ts'
import { startCli } from '../setup/servers/processes.ts'
import { waitFor } from '../setup/wait-for.ts'

test('two users of a folder share a server, the last one stops it, and its data survives', async () => {
  await using data = await aDataFolder({ isNew: true })
  const [first, second] = await Promise.all([openEmbeddedServer(data.folder), openEmbeddedServer(data.folder)])
  expect(second.url).toBe(first.url)
  await query(first.url, 'create table kept as select 7 as number')
  const pid = await serverPid(data.folder)
  expect(pid).toBeDefined()
  await first.close()
  expect(await serverPid(data.folder)).toBe(pid)
  expect(await query(second.url, 'select number from kept')).toEqual([{ number: 7 }])
  await second.close()
  expect(await serverPid(data.folder)).toBe(undefined)

  const again = await openEmbeddedServer(data.folder)
  expect(await query(again.url, 'select number from kept')).toEqual([{ number: 7 }])
  await again.close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

test('a server whose only user was killed is taken over by the next one', async () => {
  await using data = await aDataFolder()
  // It waits for its input.
  await using user = startCli(['import', '-'], { DATA_DIR: data.folder })
  const importing = "select from pg_stat_activity where application_name = 'reward-campaigns import'"
  const url = await waitFor(async () => {
    const started = await embeddedUrl(data.folder).catch(() => '')
    return (await query(started, importing).catch(() => [])).length > 0 ? started : undefined
  })
  await query(url, 'create table kept as select 7 as number')
  const pid = await serverPid(data.folder)
  user.child.kill('SIGKILL')
  await user.ended
  expect(await serverPid(data.folder)).toBe(pid)

  const server = await openEmbeddedServer(data.folder)
  expect(server.url).toBe(url)
  expect(await serverPid(data.folder)).toBe(pid)
  expect(await query(server.url, 'select number from kept')).toEqual([{ number: 7 }])
  await server.close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

test('a server that was killed itself comes back with all that was committed', async () => {
  await using data = await aDataFolder()
  const before = await openEmbeddedServer(data.folder)
  await query(before.url, 'create table kept as select 7 as number')
  const pid = await serverPid(data.folder)
  if (pid === undefined) throw new Error('no server runs')
  process.kill(pid, 'SIGKILL')
  await waitFor(() => (isRunning(pid) ? undefined : true))
  const after = await openEmbeddedServer(data.folder)
  expect(await query(after.url, 'select number from kept')).toEqual([{ number: 7 }])
  await before.close()
  expect(await serverPid(data.folder)).toBeDefined()
  await after.close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

test.skipIf(process.platform !== 'linux')(
  'a server starts though another process has the number of the one that was killed',
  async () => {
    await using data = await aDataFolder()
    const before = await openEmbeddedServer(data.folder)
    await query(before.url, 'create table kept as select 7 as number')
    const cluster = join(data.folder, 'postgres')
    const file = join(cluster, 'postmaster.pid')
    const text = await readFile(file, 'utf8')
    await before.close()
    // Of the account that the server has: of others PostgreSQL itself knows that they are not it.
    const { uid, gid } = await stat(cluster)
    const other = spawn('sleep', ['600'], { uid, gid, stdio: 'ignore' })
    try {
      await writeFile(file, text.replace(/^\d+/, String(other.pid)))
      const after = await openEmbeddedServer(data.folder)
      expect(await query(after.url, 'select number from kept')).toEqual([{ number: 7 }])
      expect(other.exitCode).toBe(null)
      await after.close()
      expect(await serverPid(data.folder)).toBe(undefined)
    } finally {
      other.kill()
    }
  },
)

test('a user whose connection was cut counts all the same', async () => {
  await using data = await aDataFolder()
  const staying = await openEmbeddedServer(data.folder)
  await query(staying.url, 'create table kept as select 7 as number')
  // What a crash of one backend does to all connections.
  await query(
    staying.url,
    "select pg_terminate_backend(pid) from pg_stat_activity where starts_with(application_name, 'reward-campaigns presence')",
  )
  await sleep(1000)
  const passing = await openEmbeddedServer(data.folder)
  await passing.close()
  expect(await serverPid(data.folder)).toBeDefined()
  expect(await query(staying.url, 'select number from kept')).toEqual([{ number: 7 }])
  await staying.close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

test('kill -9 in the middle of an import leaves nothing of it, and the next one works', async () => {
  await using data = await aDataFolder()
  const settings = { DATA_DIR: data.folder }
  const server = await openEmbeddedServer(data.folder)
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  const CLAIMS = 5000
  const claims = Array.from({ length: CLAIMS }, () => aClaim(campaign))
  const input = [aToken({ address: anAddress('asset') }), campaign, ...claims]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('')

  const holder = new pg.Client({ connectionString: server.url })
  await holder.connect()
  await using killed = startCli(['import', '-'], settings)
  try {
    // Campaigns are written before claims: so the import stops with half of its work done.
    await holder.query('begin; lock table claims in share row exclusive mode')
    killed.child.stdin.end(input)
    const importer = "application_name = 'reward-campaigns import'"
    await waitFor(async () => {
      const rows = await query(
        server.url,
        `select from pg_stat_activity where ${importer} and wait_event_type = 'Lock'`,
      )
      return rows.length > 0 ? true : undefined
    })
    killed.child.kill('SIGKILL')
    await killed.ended
    await holder.query('rollback')
    await waitFor(async () => {
      const rows = await query(server.url, `select from pg_stat_activity where ${importer}`)
      return rows.length === 0 ? true : undefined
    })
  } finally {
    await holder.end()
  }
  const counts = `select (select count(*) from tokens) as tokens, (select count(*) from campaigns) as campaigns,
    (select count(*) from incentives) as incentives, (select count(*) from claims) as claims`
  expect(await query(server.url, counts)).toEqual([{ tokens: '0', campaigns: '0', incentives: '0', claims: '0' }])

  await using next = startCli(['import', '-', '--json'], settings)
  next.child.stdin.end(input)
  expect(await next.ended).toMatchObject({ code: 0, signal: null })
  expect(next.stdout).toContain(`{"type":"claim","records":${CLAIMS}}`)
  expect(await query(server.url, counts)).toEqual([
    { tokens: '1', campaigns: '1', incentives: '1', claims: `${CLAIMS}` },
  ])
  await server.close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

test.each(['$(touch planted)', '`id`', 'a"b'])(
  'a folder whose name a shell would read is refused: %s',
  async (name) => {
    await using data = await aDataFolder()
    const folder = join(data.folder, name)
    await expect(openEmbeddedServer(folder)).rejects.toThrow(/must not have any of/)
    await expect(readFile(join(folder, 'password'))).rejects.toThrow(/ENOENT/)
  },
)

test('a server that was killed is started again, on its port, by one of those who use it', async () => {
  await using data = await aDataFolder()
  const users = await Promise.all([openEmbeddedServer(data.folder), openEmbeddedServer(data.folder)])
  const { url } = users[0]
  await query(url, 'create table kept as select 7 as number')
  for (let time = 0; time < 2; time++) {
    await killServer(data.folder)
    await waitFor(() => serverPid(data.folder))
    expect(await waitFor(() => query(url, 'select number from kept').catch(() => undefined))).toEqual([{ number: 7 }])
    // Both are back before it is asked who is the last one.
    const present = "select from pg_stat_activity where starts_with(application_name, 'reward-campaigns presence')"
    await waitFor(async () => ((await query(url, present)).length === 2 ? true : undefined))
  }
  await users[0].close()
  expect(await serverPid(data.folder)).toBeDefined()
  await users[1].close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

test('a server that was killed stays away when its user is about to leave', async () => {
  await using data = await aDataFolder()
  const leaving = new AbortController()
  const server = await openEmbeddedServer(data.folder, { leaving: leaving.signal })
  leaving.abort()
  await killServer(data.folder)
  await sleep(1500)
  await server.close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

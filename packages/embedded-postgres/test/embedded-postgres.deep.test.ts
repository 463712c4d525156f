import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type EmbeddedServerOptions, openEmbeddedServer } from '../src/embedded-postgres.ts'
import { aDataFolder, isRunning, killServer, query, serverPid, waitUntil } from './setup/servers.ts'

const DATABASE = 'of-a-test'

const open = (folder: string, options?: Partial<EmbeddedServerOptions>) =>
  openEmbeddedServer(folder, { database: DATABASE, ...options })

test('two users of a folder share a server, the last one stops it, and its data survives', async () => {
  await using data = await aDataFolder()
  const [first, second] = await Promise.all([open(data.folder), open(data.folder)])
  expect(second.url).toBe(first.url)
  await query(first.url, 'create table kept as select 7 as number')
  const pid = await serverPid(data.folder)
  expect(pid).toBeDefined()
  await first.close()
  expect(await serverPid(data.folder)).toBe(pid)
  expect(await query(second.url, 'select number from kept')).toEqual([{ number: 7 }])
  await second.close()
  expect(await serverPid(data.folder)).toBe(undefined)

  const again = await open(data.folder)
  expect(await query(again.url, 'select number from kept')).toEqual([{ number: 7 }])
  await again.close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

test('a server whose only user was killed is taken over by the next one', async () => {
  await using data = await aDataFolder()
  const script = join(import.meta.dirname, 'setup/user.ts')
  const user = spawn(process.execPath, ['--import', 'tsx', script, data.folder, DATABASE])
  const [text] = await once(user.stdout.setEncoding('utf8'), 'data')
  const url = String(text).trim()
  await query(url, 'create table kept as select 7 as number')
  const pid = await serverPid(data.folder)
  user.kill('SIGKILL')
  await once(user, 'exit')
  expect(await serverPid(data.folder)).toBe(pid)

  const server = await open(data.folder)
  expect(server.url).toBe(url)
  expect(await serverPid(data.folder)).toBe(pid)
  expect(await query(server.url, 'select number from kept')).toEqual([{ number: 7 }])
  await server.close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

test('a server that was killed itself comes back with all that was committed', async () => {
  await using data = await aDataFolder()
  const before = await open(data.folder)
  await query(before.url, 'create table kept as select 7 as number')
  const pid = await serverPid(data.folder)
  if (pid === undefined) throw new Error('no server runs')
  process.kill(pid, 'SIGKILL')
  await waitUntil(() => !isRunning(pid))
  const after = await open(data.folder)
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
    const before = await open(data.folder)
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
      const after = await open(data.folder)
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
  const staying = await open(data.folder)
  await query(staying.url, 'create table kept as select 7 as number')
  // What a crash of one backend does to all connections.
  await query(
    staying.url,
    "select pg_terminate_backend(pid) from pg_stat_activity where starts_with(application_name, 'embedded-postgres presence')",
  )
  await sleep(1000)
  const passing = await open(data.folder)
  await passing.close()
  expect(await serverPid(data.folder)).toBeDefined()
  expect(await query(staying.url, 'select number from kept')).toEqual([{ number: 7 }])
  await staying.close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

test.each(['$(touch planted)', '`id`', 'a"b'])(
  'a folder whose name a shell would read is refused: %s',
  async (name) => {
    await using data = await aDataFolder()
    const folder = join(data.folder, name)
    await expect(open(folder)).rejects.toThrow(/must not have any of/)
    await expect(readFile(join(folder, 'password'))).rejects.toThrow(/ENOENT/)
  },
)

test('a server that was killed is started again, on its port, by one of those who use it', async () => {
  await using data = await aDataFolder()
  const users = await Promise.all([open(data.folder), open(data.folder)])
  const { url } = users[0]
  await query(url, 'create table kept as select 7 as number')
  for (let time = 0; time < 2; time++) {
    await killServer(data.folder)
    await waitUntil(() => serverPid(data.folder))
    expect(await waitUntil(() => query(url, 'select number from kept').catch(() => undefined))).toEqual([{ number: 7 }])
    // Both are back before it is asked who is the last one.
    const present = "select from pg_stat_activity where starts_with(application_name, 'embedded-postgres presence')"
    await waitUntil(async () => ((await query(url, present)).length === 2 ? true : undefined))
  }
  await users[0].close()
  expect(await serverPid(data.folder)).toBeDefined()
  await users[1].close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

test('a server that was killed stays away when its user is about to leave', async () => {
  await using data = await aDataFolder()
  const leaving = new AbortController()
  const server = await open(data.folder, { leaving: leaving.signal })
  leaving.abort()
  await killServer(data.folder)
  await sleep(1500)
  await server.close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openEmbeddedServer } from '../../src/embedded/embedded-postgres.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { aDataFolder, embeddedUrl, isRunning, query, serverPid } from '../setup/servers/data-folder.ts'
import { NodeProcess, runCli, startCli } from '../setup/servers/processes.ts'
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
  const script = `
    import { openEmbeddedServer } from './src/embedded/embedded-postgres.ts'
    const server = await openEmbeddedServer(${JSON.stringify(data.folder)})
    console.log('url=' + server.url)
    setInterval(() => undefined, 1000)`
  await using user = new NodeProcess(['--input-type=module', '--eval', script])
  const url = await user.said(/^url=(\S+)$/m)
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
  const claims = Array.from({ length: 5000 }, () => aClaim(campaign))
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
  expect(next.stdout).toContain('{"type":"claim","records":5000}')
  expect(await query(server.url, counts)).toEqual([{ tokens: '1', campaigns: '1', incentives: '1', claims: '5000' }])
  await server.close()
  expect(await serverPid(data.folder)).toBe(undefined)
})

test('serve fills an empty folder with sample data, keeps it over a restart, and stops its server', async () => {
  await using data = await aDataFolder({ isNew: true })
  const settings = { DATA_DIR: data.folder, PORT: '0' }
  const listed: unknown[] = []
  for (let run = 0; run < 2; run++) {
    await using service = startCli(['serve'], settings)
    const url = await service.ready()
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const response = await fetch(`${url}/campaigns?tokenWhitelist=false&pageSize=20`)
    const { campaigns, totalCampaigns } = (await response.json()) as {
      campaigns: { id: string }[]
      totalCampaigns: number
    }
    expect(totalCampaigns).toBe(1000)
    expect(campaigns).toHaveLength(20)
    listed.push(campaigns.map(({ id }) => id))
    service.child.kill('SIGTERM')
    expect(await service.ended).toMatchObject({ code: 0, signal: null })
    expect(await serverPid(data.folder)).toBe(undefined)
  }
  expect(listed[1]).toEqual(listed[0])
})

test('SAMPLE_DATA=false leaves a new folder empty, and an import goes to the server that serve has started', async () => {
  await using data = await aDataFolder({ isNew: true })
  const settings = { DATA_DIR: data.folder, PORT: '0', SAMPLE_DATA: 'false' }
  await using service = startCli(['serve'], settings)
  const url = await service.ready()
  expect(await (await fetch(`${url}/campaigns`)).json()).toEqual({ campaigns: [], totalCampaigns: 0 })
  await using importing = startCli(['import', '-'], settings)
  const campaign = aCampaign()
  importing.child.stdin.end(`${JSON.stringify(campaign)}\n`)
  expect(await importing.ended).toMatchObject({ code: 0, signal: null })
  expect(await (await fetch(`${url}/campaigns`)).json()).toMatchObject({
    campaigns: [{ id: campaign.id }],
    totalCampaigns: 1,
  })
})

test('a token is issued and revoked in the server that serve has started', async () => {
  await using data = await aDataFolder()
  const settings = { DATA_DIR: data.folder, PORT: '0', SAMPLE_DATA: 'false' }
  await using service = startCli(['serve'], settings)
  const url = await service.ready()
  const issued = await runCli(['token', 'create', '--user', 'user-1'], settings)
  expect(issued.code).toBe(0)
  const headers = { authorization: `Bearer ${issued.stdout.trim()}` }
  const response = await fetch(`${url}/campaigns/accesslists`, { headers })
  expect(await response.json()).toEqual({ accesslists: [] })
  const [, id = ''] = /^Token (\S+)/.exec(issued.stderr) ?? []
  expect(await runCli(['token', 'revoke', id], settings)).toMatchObject({ code: 0 })
  expect((await fetch(`${url}/campaigns/accesslists`, { headers })).status).toBe(401)
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
    await waitForServer(data.folder)
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

test('a service whose server was killed answers 503 until the server is back, and then its data', async () => {
  await using data = await aDataFolder()
  await using service = startCli(['serve'], { DATA_DIR: data.folder, PORT: '0', SAMPLE_DATA: 'false' })
  const url = await service.ready()
  await runCli(['import', '-'], { DATA_DIR: data.folder }, `${JSON.stringify(aCampaign())}\n`)
  await killServer(data.folder)
  const statuses = new Set<number>()
  await waitFor(async () => {
    statuses.add((await fetch(`${url}/campaigns?pageSize=${statuses.size}`)).status)
    return (await fetch(`${url}/readyz`)).status === 200 ? true : undefined
  })
  expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true)
  await service.said(/(database process exited, restarted it)/)
  expect(await (await fetch(`${url}/campaigns`)).json()).toMatchObject({ totalCampaigns: 1 })
  service.child.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
  expect(await serverPid(data.folder)).toBe(undefined)
})

test('a server that is killed while it is filled with sample data comes back, and is filled', async () => {
  await using data = await aDataFolder({ isNew: true })
  await using service = startCli(['serve'], { DATA_DIR: data.folder, PORT: '0' })
  await service.said(/(filling the database with sample data)/)
  const importing =
    "select from pg_stat_activity where application_name = 'reward-campaigns import' and xact_start is not null"
  const server = await embeddedUrl(data.folder)
  await waitFor(async () => ((await query(server, importing)).length > 0 ? true : undefined))
  await killServer(data.folder)
  const url = await service.ready()
  expect(await (await fetch(`${url}/campaigns?pageSize=0&tokenWhitelist=false`)).json()).toMatchObject({
    totalCampaigns: 1000,
  })
  service.child.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
})

async function killServer(folder: string) {
  const pid = await waitForServer(folder)
  process.kill(pid, 'SIGKILL')
  await waitFor(() => (isRunning(pid) ? undefined : true))
}

const waitForServer = (folder: string) => waitFor(() => serverPid(folder))

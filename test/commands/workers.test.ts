import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { aDataFolder, embeddedUrl, isRunning, query, serverPid } from '../setup/data-folder.ts'
import { createTestDatabase } from '../setup/database.ts'
import { openDatabaseProxy } from '../setup/database-proxy.ts'
import { RunningProcess, runCli, startCli, waitFor } from '../setup/processes.ts'
import { closedPort, collect, parse } from '../setup/sockets.ts'
import { bearing } from '../setup/tokens.ts'
import { connectToEach, loggedLines, WorkerConnection } from '../setup/workers.ts'

/*
 * `serve` in several processes, looked at from outside.
 */

const WORKERS = 2

const settingsFor = (database: { url: string }) => ({
  DATABASE_URL: database.url,
  PORT: '0',
  WORKERS: String(WORKERS),
  MAX_EVENT_LOOP_DELAY_MS: '0',
})

const saidBy = (service: RunningProcess, pattern: RegExp) =>
  loggedLines(service).filter(({ msg }) => pattern.test(msg)).length

/** Holds what is asked of the database up; requests on these connections are under way when this returns. */
async function askSlowly(url: string, connections: WorkerConnection[]) {
  const holder = new pg.Client({ connectionString: url })
  holder.on('error', () => undefined)
  await holder.connect()
  await holder.query('begin; lock table campaigns in access exclusive mode')
  const outcomes = connections.map((connection, place) => connection.ask(`/campaigns?pageSize=${place + 7}`))
  const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
  await waitFor(async () => ((await query(url, waiting)).length >= connections.length ? true : undefined))
  return {
    statuses: Promise.all(outcomes).then((all) => all.map(({ status }) => status)),
    async release() {
      await holder.query('rollback').catch(() => undefined)
      await holder.end().catch(() => undefined)
    },
  }
}

const isClosed = (url: string) =>
  waitFor(() =>
    fetch(`${url}/livez`).then(
      () => undefined,
      (error: Error) => (/ECONNREFUSED/.test(String(error.cause)) ? true : undefined),
    ),
  )

async function figuresAt(port: number) {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  return (await answer.text()).split('\n')
}

test('workers share one port and one limit, and their figures are one, also when one of them is killed', async () => {
  await using database = await createTestDatabase()
  await using proxy = await openDatabaseProxy(database.url)
  proxy.interrupt('cut')
  const port = await closedPort()
  await using service = startCli(['serve'], {
    ...settingsFor(proxy),
    METRICS_PORT: String(port),
    FAILED_ATTEMPTS_PER_MINUTE: '5',
  })
  const url = await service.address()

  // Before the database is there, each of them says so.
  await service.said(/(the database is not ready, trying again)/)
  using early = await connectToEach(service, url, WORKERS)
  for (const connection of early.all) {
    expect(await connection.ask('/livez')).toMatchObject({ status: 200 })
    expect(await connection.ask('/readyz')).toMatchObject({ status: 503 })
    expect(await connection.ask('/campaigns')).toMatchObject({ status: 503 })
  }
  proxy.interrupt(undefined)
  await service.ready()
  for (const connection of early.all) {
    expect(await connection.ask('/readyz')).toMatchObject({ status: 200 })
    expect(await connection.ask('/campaigns')).toMatchObject({ status: 200 })
  }

  // The limit on failed attempts is one, although each worker is asked, and all at once.
  const attempts = Array.from({ length: 20 }, (_, place) =>
    early.all[place % WORKERS]?.ask('/users/profile', bearing('rcs_unknown')),
  )
  const refusals = (await Promise.all(attempts)).map((outcome) => outcome?.status)
  expect(refusals.filter((status) => status === 401)).toHaveLength(5)
  expect(refusals.filter((status) => status === 429)).toHaveLength(15)

  const counted = (status: number, route: string, count: number) =>
    `http_request_duration_seconds_count{method="GET",route="${route}",status="${status}"} ${count}`
  const expected = [
    counted(200, '/campaigns', WORKERS),
    counted(503, '/campaigns', WORKERS),
    counted(401, '/users/profile', 5),
    counted(429, '/users/profile', 15),
    'failed_token_attempts_total 20',
    'rate_limited_requests_total{limit="failed-attempts"} 15',
    `answers_total{source="made"} ${WORKERS}`,
    'database_up 1',
    'reward_campaigns_build_info{version="2.0.0"} 1',
  ]
  expect(await figuresAt(port)).toEqual(expect.arrayContaining(expected))

  // One is killed: another takes its place, and nobody else has noticed.
  const [killed = 0] = early.pids
  process.kill(killed, 'SIGKILL')
  await service.said(/(a worker has died, and is replaced)/)
  const [, other] = early.all
  expect(await other?.ask('/campaigns')).toMatchObject({ status: 200 })
  using late = await connectToEach(service, url, WORKERS)
  expect(late.pids).not.toContain(killed)
  for (const connection of late.all) expect(await connection.ask('/readyz')).toMatchObject({ status: 200 })
  const figures = await figuresAt(port)
  expect(figures).toEqual(expect.arrayContaining([counted(200, '/campaigns', WORKERS + 1), ...expected.slice(1, 6)]))
  expect(late.all.length).toBe(WORKERS)
  for (const connection of late.all)
    expect(await connection.ask('/users/profile', bearing('rcs_unknown'))).toMatchObject({ status: 429 })

  // Whoever counts for all may hang: then each counts for itself, and no request waits for it without end.
  service.child.kill('SIGSTOP')
  const hanging = late.all.map((connection) => connection.ask('/users/profile', bearing('rcs_unknown')))
  expect((await Promise.race([Promise.all(hanging), sleep(5000, [])])).map(({ status }) => status)).toEqual([401, 401])
  service.child.kill('SIGCONT')

  // One is asked to end, again and again: it answers what is under way, and another takes its place.
  const [asked = 0] = late.pids
  const slow = await askSlowly(database.url, late.all.slice(0, 1))
  for (let time = 0; time < 3; time += 1) {
    process.kill(asked, 'SIGTERM')
    await sleep(150)
  }
  await slow.release()
  expect(await slow.statuses).toEqual([200])
  await service.said(/(a worker has ended, and is replaced)/)

  service.child.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
  expect(saidBy(service, /^Server listening at /)).toBe(1)
  expect(saidBy(service, /^ready$/)).toBe(1)
})

test('a kill of the supervisor ends each worker in order, and a Ctrl-C for all of them the next service and its one server', async () => {
  await using data = await aDataFolder()
  const settings = {
    DATA_DIR: data.folder,
    SAMPLE_DATA: 'false',
    HOME: data.folder,
    PORT: '0',
    WORKERS: String(WORKERS),
  }

  await using killed = startCli(['serve'], settings)
  const killedUrl = await killed.ready()
  using left = await connectToEach(killed, killedUrl, WORKERS)
  const server = await serverPid(data.folder)
  const underWay = await askSlowly(await embeddedUrl(data.folder), left.all)
  killed.child.kill('SIGKILL')
  await isClosed(killedUrl)
  await underWay.release()
  expect(await underWay.statuses).toEqual([200, 200])
  await waitFor(() => (left.pids.some(isRunning) ? undefined : true))

  // As a terminal does it, where npm passes on what it has got itself.
  await using service = new RunningProcess(['npm', 'start'], { ...settings, DRAIN_SECONDS: '1' }, { isLeader: true })
  const url = await service.ready()
  using connections = await connectToEach(service, url, WORKERS)
  expect(await serverPid(data.folder)).toBe(server)
  const presences = "select from pg_stat_activity where application_name like '%presence%'"
  expect(await query(await embeddedUrl(data.folder), presences)).toHaveLength(1)
  const slow = await askSlowly(await embeddedUrl(data.folder), connections.all)
  using probes = await connectToEach(service, url, WORKERS)
  process.kill(-(service.child.pid ?? 0), 'SIGINT')
  for (const probe of probes.all)
    await waitFor(async () => ((await probe.ask('/readyz')).status === 503 ? true : undefined))
  await isClosed(url)
  await slow.release()
  expect(await slow.statuses).toEqual([200, 200])
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
  expect(connections.pids.filter(isRunning)).toEqual([])
  expect(await serverPid(data.folder)).toBe(undefined)
})

test('while workers are asked to end under load no request is lost', async () => {
  await using database = await createTestDatabase()
  await using service = startCli(['serve'], { ...settingsFor(database), DRAIN_SECONDS: '2' })
  const url = await service.ready()
  const outcomes = new Map<number | string, number>()
  let isNoticed = false
  const load = Array.from({ length: 8 }, async (_, place) => {
    while (!isNoticed) {
      using connection = new WorkerConnection(url)
      // Some keep their connection until they are told that it was the last answer.
      for (let left = place; left >= 0; left -= 1) {
        const { status, headers } = await connection.ask('/campaigns')
        outcomes.set(status, (outcomes.get(status) ?? 0) + 1)
        if (headers.connection === 'close') break
      }
    }
  })
  await waitFor(() => ((outcomes.get(200) ?? 0) > 200 ? true : undefined))
  service.child.kill('SIGTERM')
  await waitFor(async () => ((await fetch(`${url}/readyz`)).status === 503 ? true : undefined))
  const before = outcomes.get(200) ?? 0
  await waitFor(() => ((outcomes.get(200) ?? 0) > before + 100 ? true : undefined))
  isNoticed = true
  await Promise.all(load)
  expect([...outcomes.keys()]).toEqual([200])
  expect(await service.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
  expect(new Set(loggedLines(service).map(({ pid }) => pid)).size).toBe(1 + WORKERS)
})

test('connections that the system has accepted when workers are asked to end are served', async () => {
  await using database = await createTestDatabase()
  await using service = startCli(['serve'], settingsFor(database))
  const url = await service.ready()
  using connections = await connectToEach(service, url, WORKERS)
  for (const pid of connections.pids) process.kill(pid, 'SIGSTOP')
  const answers = []
  for (let count = 0; count < 20; count += 1) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    answers.push(collect(socket))
    socket.write('GET /campaigns HTTP/1.1\r\nhost: localhost\r\n\r\n')
  }
  service.child.kill('SIGTERM')
  for (const pid of connections.pids) process.kill(pid, 'SIGCONT')
  const statuses = (await Promise.all(answers)).map((text) => parse(text).status)
  expect(statuses).toEqual(statuses.map(() => 200))
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
})

test('a third request to end is obeyed at once, and leaves no worker', async () => {
  await using database = await createTestDatabase()
  await using service = startCli(['serve'], settingsFor(database))
  using connections = await connectToEach(service, await service.ready(), WORKERS)
  const slow = await askSlowly(database.url, connections.all)
  service.child.kill('SIGTERM')
  await sleep(300)
  service.child.kill('SIGTERM')
  await sleep(300)
  expect(connections.pids.filter(isRunning)).toHaveLength(WORKERS)
  service.child.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 143, signal: null })
  expect(await slow.statuses).not.toContain(200)
  await waitFor(() => (connections.pids.some(isRunning) ? undefined : true))
  await slow.release()
})

test('a port that is in use is told once, before there is any worker', async () => {
  await using database = await createTestDatabase()
  await using server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  expect(await runCli(['serve'], { ...settingsFor(database), PORT: String(port) })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^PORT ${port} is in use on 127.0.0.1: [^\n]*\n$`)),
  })
})

test.each([
  { fault: 'process.exit(7)', said: '' },
  { fault: "process.env.HOST='192.0.2.1'", said: 'HOST 192.0.2.1 is no address of this machine\n'.repeat(5) },
])(
  'workers that end again and again before they can serve end the service with a sentence: $fault',
  async ({ fault, said }) => {
    await using database = await createTestDatabase()
    const NODE_OPTIONS = `--import "data:text/javascript,if(process.send)${fault}"`
    const { code, stdout, stderr } = await runCli(['serve'], { ...settingsFor(database), NODE_OPTIONS })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${said}5 workers have ended one after the other before they could serve\n`,
    })
    expect(stdout.match(/a worker has died, and is replaced/g)).toHaveLength(5)
  },
)

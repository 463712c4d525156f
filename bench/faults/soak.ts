/*
 * Runs 400 hostile clients against the service for some minutes, in which thousands of claims are imported. Meanwhile it
 * requests `/livez` of both ports ten times a second and reads the memory of the process from the system. Exits with 1 if a limit was exceeded.
 * `npm run bench:soak -- [seconds]`
 */
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CLI, RunningProcess } from '../../test/setup/servers/processes.ts'
import { closedPort } from '../../test/setup/servers/sockets.ts'
import { endAllProcesses } from '../measuring/child-processes.ts'
import { percentile, print, request } from '../measuring/measure.ts'
import { residentMegabytes } from '../measuring/processor-time.ts'
import { CACHE_MEGABYTES } from '../parts/requests/repeated.ts'
import { startServe } from '../service/service.ts'

/** What the service may take: about 220 megabytes of its own after the start, the responses, and room for what is under way. */
const MAX_MEGABYTES = 400
const MAX_LIVEZ_MS = 250
const POLL_INTERVAL_MS = 100

const seconds = Number(process.argv[2] ?? 300)

/** How long `/livez` takes on a connection of its own; infinite where it does not say that the process lives. */
function probeLiveness(url: string) {
  const start = performance.now()
  return new Promise<number>((resolve) => {
    get(`${url}/livez`, { agent: false, timeout: 10_000 }, (response) => {
      response.resume().once('end', () => {
        resolve(response.statusCode === 200 ? performance.now() - start : Number.POSITIVE_INFINITY)
      })
    }).once('error', () => resolve(Number.POSITIVE_INFINITY))
  })
}

/** How often claims are imported, which all streams of changes get. */
const IMPORT_INTERVAL_MS = 20_000

/** Imports campaigns with their claims, and then some of the claims again and again, each time of other transactions. */
async function importClaims(folder: string, signal: AbortSignal) {
  const settings = { DATA_DIR: join(folder, 'data') }
  const run = async (...parameters: string[]) => {
    await using command = new RunningProcess([process.execPath, CLI, ...parameters], settings)
    const { code, stdout, stderr } = await command.ended
    if (code !== 0) throw new Error(`${parameters[0]} ended with ${code}: ${stderr}`)
    return stdout
  }
  const file = join(folder, 'records.ndjson')
  const records = (await run('sample', '--campaigns', '100', '--claims', '5000')).trim().split('\n')
  const claims = records.filter((record) => JSON.parse(record).type === 'claim')
  for (let round = 0; !signal.aborted; round += 1) {
    const others = claims.map((claim) => {
      const txHash = `0x${randomBytes(32).toString('hex')}`
      return JSON.stringify({ ...JSON.parse(claim), txHash })
    })
    await writeFile(file, (round === 0 ? records : others).join('\n'))
    await run('import', file)
    await sleep(IMPORT_INTERVAL_MS, undefined, { signal }).catch(() => undefined)
  }
}

const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-soak-'))
const broken: string[] = []
function expectAtMost(what: string, figure: number, max: number, unit: string) {
  print(what, `${Math.round(figure)} ${unit}, at most ${max}`)
  if (!(figure <= max)) broken.push(what)
}

try {
  const context = { folder, signal: new AbortController().signal }
  const metricsPort = await closedPort()
  const service = await startServe(context, {
    DATA_DIR: join(folder, 'data'),
    METRICS_PORT: String(metricsPort),
    RESPONSE_CACHE_MB: String(CACHE_MEGABYTES),
  })
  const { url, process: child } = service
  const { hostname: host, port } = new URL(url)
  print('resident after the start', `${Math.round(residentMegabytes(child.pid))} MB`)
  let attack: Record<string, number> | undefined
  const clients = fork(join(import.meta.dirname, 'hostile-clients.ts'), [host, port, String(seconds)])
  clients.once('message', (counts) => {
    attack = counts as Record<string, number>
  })
  const over = new AbortController()
  const importing = importClaims(folder, over.signal)
  importing.catch((error: Error) => broken.push(error.message))
  const livez: number[] = []
  const livezOfClients: number[] = []
  let peak = 0
  while (attack === undefined && child.exitCode === null && clients.exitCode === null) {
    livez.push(await probeLiveness(`http://127.0.0.1:${metricsPort}`))
    livezOfClients.push(await probeLiveness(url))
    peak = Math.max(peak, residentMegabytes(child.pid))
    await sleep(POLL_INTERVAL_MS)
  }
  over.abort()
  await importing.catch(() => undefined)
  if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
  if (attack === undefined) throw new Error(`the clients ended with ${clients.exitCode}`)
  for (const [what, times] of Object.entries(attack)) print(`  ${what}`, `${times} times`)
  livez.sort((one, other) => one - other)
  livezOfClients.sort((one, other) => one - other)
  for (const [port, times] of Object.entries({ METRICS_PORT: livez, PORT: livezOfClients })) {
    const [half, most, slowest] = [0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(1))
    print(`/livez on ${port}`, `asked ${times.length} times, median ${half}, p99 ${most}, slowest ${slowest} ms`)
  }
  expectAtMost('/livez on METRICS_PORT, slowest', percentile(livez, 1), MAX_LIVEZ_MS, 'ms')
  print('resident, most', `${Math.round(peak)} MB`)
  await sleep(2000)
  expectAtMost('resident at the end', residentMegabytes(child.pid), MAX_MEGABYTES, 'MB')
  await request(`${url}/campaigns?pageSize=3`)
  const start = performance.now()
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expectAtMost('the end after SIGTERM', performance.now() - start, 10_000, 'ms')
  if (code !== 0) broken.push(`the service ended with ${code}`)
} finally {
  await endAllProcesses()
  await rm(folder, { recursive: true, force: true })
}
if (broken.length > 0) {
  process.stdout.write(`did not hold: ${broken.join('; ')}\n`)
  process.exitCode = 1
}

import type { ChildProcess } from 'node:child_process'
import { get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { devNull } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import compile from '../../../test/setup/build.ts'
import { CLI } from '../../../test/setup/servers/processes.ts'
import { endProcess, startProgram } from '../../measuring/child-processes.ts'
import { medianOf, toText } from '../../measuring/measure.ts'
import type { Part } from '../../measuring/part.ts'

const TURNS = 5
const LIMIT_MS = 60_000

/** From the start of the process to the first response with data. */
export const start: Part = {
  limitMinutes: 5,
  targets: {
    embedded: { what: '`npm start` with data there, to the first answer', unit: 's', rule: 'at most', limit: 7 },
    external: { what: '`serve` on an external database, to the first answer', unit: 's', rule: 'at most', limit: 6 },
  },
  async *measure({ facts, signal }) {
    await compile()
    const port = await freePort()
    const timesOf = async (launch: () => ChildProcess) => {
      const times: number[] = []
      for (let turn = 0; turn < TURNS; turn += 1) {
        signal.throwIfAborted()
        times.push(await timeToResponse(port, launch))
      }
      return { value: medianOf(times), note: `${TURNS} times: ${times.map((time) => toText(time)).join(', ')} s` }
    }
    const settings = { ENV_FILE: devNull, PORT: String(port) }
    const embedded = await facts.whileStopped(() =>
      timesOf(() => startProgram('npm', ['start', '--silent'], { settings: { ...settings, DATA_DIR: facts.folder } })),
    )
    yield { target: 'embedded', ...embedded, note: `with its embedded PostgreSQL, stopped before; ${embedded.note}` }
    const external = await timesOf(() =>
      startProgram(process.execPath, [CLI, 'serve'], { settings: { ...settings, DATABASE_URL: facts.url } }),
    )
    yield { target: 'external', ...external, note: `compiled, as in the image; ${external.note}` }
  },
}

async function timeToResponse(port: number, launch: () => ChildProcess) {
  const begin = performance.now()
  const child = launch()
  try {
    while (performance.now() - begin < LIMIT_MS) {
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
      if (await isAnswered(port)) return (performance.now() - begin) / 1000
      await sleep(5)
    }
    throw new Error(`no response within ${LIMIT_MS} ms`)
  } finally {
    await endProcess(child)
  }
}

async function freePort() {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

/** On a connection of its own. */
const isAnswered = (port: number) =>
  new Promise<boolean>((resolve) => {
    get({ host: '127.0.0.1', port, path: '/campaigns?pageSize=1', agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200))
    }).once('error', () => resolve(false))
  })

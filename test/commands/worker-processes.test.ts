import cluster from 'node:cluster'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { superviseProcesses } from '../../src/commands/worker-processes.ts'
import { waitFor } from '../setup/processes.ts'

/** Serves; the first of them never says anything, as one whose event loop stands still. */
const WORKER = `
  import cluster from 'node:cluster'
  import { createServer } from 'node:net'
  createServer().listen(0, '127.0.0.1')
  if (cluster.worker.id !== 1) process.on('message', () => process.send({ kind: 'alive' }))
`

test('a worker that has said nothing for half a minute is killed and replaced, and no other one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-workers-'))
  const exec = join(folder, 'worker.mjs')
  await writeFile(exec, WORKER)
  cluster.setupPrimary({ exec })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const lines: { msg: string; worker?: number }[] = []
  let answers = 0
  const workers = superviseProcesses({
    count: 2,
    environment: {},
    log: pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    onMessage: () => {
      answers += 1
    },
    onEnd: () => undefined,
  })
  try {
    await workers.start()
    const silent = cluster.workers?.[1]?.process.pid
    for (let round = 1; round <= 7; round += 1) {
      expect(lines.filter(({ msg }) => !msg.startsWith('Server listening'))).toEqual([])
      vi.advanceTimersByTime(5000)
      workers.tellAll({ kind: 'news', news: { state: 'done', url: undefined } })
      await waitFor(() => (answers === round ? true : undefined))
    }
    await waitFor(() => lines.find(({ msg }) => msg === 'a worker has died, and is replaced'))
    expect(lines.filter(({ msg }) => !msg.startsWith('Server listening'))).toEqual([
      expect.objectContaining({ msg: 'a worker does nothing any more, and is killed', worker: silent }),
      expect.objectContaining({ msg: 'a worker has died, and is replaced', worker: silent, signal: 'SIGKILL' }),
    ])
    await waitFor(() => (Object.values(cluster.workers ?? {}).length === 2 ? true : undefined))
  } finally {
    await workers.close()
    process.exitCode = undefined
    vi.useRealTimers()
    await rm(folder, { recursive: true })
  }
})

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { vi } from 'vitest'

/** A new folder that is gone after the test, with the server that a failed test may have left running. */
export const aDataFolder = async () => disposable(await mkdtemp(join(tmpdir(), 'embedded-postgres-')))

export function disposable(folder: string) {
  return {
    folder,
    async [Symbol.asyncDispose]() {
      const pid = await serverPid(folder)
      if (pid !== undefined) process.kill(pid, 'SIGQUIT')
      if (pid !== undefined) await ended(pid)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The process of the server on a folder; undefined where none runs. */
export async function serverPid(folder: string) {
  const text = await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number(text.split('\n')[0])
  return pid > 0 && isRunning(pid) ? pid : undefined
}

export function isRunning(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Looks again and again until there is something. */
export const waitUntil = <Value>(look: () => Promise<Value | undefined> | Value | undefined) =>
  vi.waitUntil(look, { timeout: 40_000, interval: 50 })

const ended = (pid: number) => waitUntil(() => !isRunning(pid))

/** Kills the server of a folder, once it runs, and waits for its end. */
export async function killServer(folder: string) {
  const pid = await waitUntil(() => serverPid(folder))
  process.kill(pid, 'SIGKILL')
  await ended(pid)
}

export async function query(url: string, sql: string, values?: unknown[]) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql, values)).rows
  } finally {
    await client.end()
  }
}

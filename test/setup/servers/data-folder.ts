import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { waitFor } from '../wait-for.ts'
import { makePreparedFolder } from './prepared-folder.ts'
import { makeServerFolder } from './server-folder.ts'

/**
 * A folder that is gone after the test, with the server that a failed test may have left running. It has a migrated
 * database, in which nothing is stored, unless the test is of how that is made.
 */
export async function aDataFolder({ isNew = false } = {}) {
  const folder = await (isNew ? makeServerFolder : makePreparedFolder)('reward-campaigns-embedded')
  return {
    folder,
    async [Symbol.asyncDispose]() {
      const pid = await serverPid(folder)
      if (pid !== undefined) process.kill(pid, 'SIGQUIT')
      if (pid !== undefined) await waitFor(() => (isRunning(pid) ? undefined : true))
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

/** Kills the server of a folder, once it runs, and waits for its end. */
export async function killServer(folder: string) {
  const pid = await waitFor(() => serverPid(folder))
  process.kill(pid, 'SIGKILL')
  await waitFor(() => (isRunning(pid) ? undefined : true))
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

/** The connection string of the server that runs on a folder. */
export async function embeddedUrl(folder: string) {
  const password = await readFile(join(folder, 'password'), 'utf8')
  const [, , , port] = (await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')
  return `postgres://postgres:${password}@127.0.0.1:${port}/reward_campaigns`
}

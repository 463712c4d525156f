import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { migrateDatabase } from '../../../src/database/migrate-database.ts'
import { openEmbeddedDatabase } from '../../../src/process/embedded-database.ts'
import { makeServerFolder } from './server-folder.ts'

const run = promisify(execFile)
const BUILD = join(import.meta.dirname, '../../../.test-build')

/**
 * A new folder for the data of a server, in which there is a cluster with a migrated, empty database. It is a copy: to make
 * one takes a core a second and a half.
 */
export async function makePreparedFolder(name: string) {
  original ??= originalFolder()
  const folder = await makeServerFolder(name)
  await run('cp', ['-a', `${await original}/.`, folder])
  return folder
}

let original: Promise<string> | undefined

/** Stays for other runs, until there are other migrations. */
async function originalFolder() {
  const name = `cluster_${inject('templateDatabase')}`
  const finished = join(BUILD, name)
  if (existsSync(finished)) return finished
  const others = (await readdir(BUILD)).filter((other) => /^cluster_\w+$/.test(other) && other !== name)
  await Promise.all(others.map((other) => rm(join(BUILD, other), { recursive: true, force: true })))
  const folder = await makeServerFolder('reward-campaigns-original')
  const server = await openEmbeddedDatabase(folder, { serverSettings: { fsync: 'off' } })
  await migrateDatabase(server.url)
  await server.close()
  // Each copy takes another port.
  await rm(join(folder, 'port'))
  const unfinished = `${finished}.${process.pid}`
  await run('cp', ['-a', folder, unfinished])
  await rm(folder, { recursive: true })
  // Another process may have made it meanwhile.
  await rename(unfinished, finished).catch(() => rm(unfinished, { recursive: true }))
  return finished
}

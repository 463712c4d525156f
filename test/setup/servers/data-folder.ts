import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { disposable } from '../../../packages/embedded-postgres/test/setup/servers.ts'
import { makePreparedFolder } from './prepared-folder.ts'
import { makeServerFolder } from './server-folder.ts'

/**
 * A folder that is gone after the test, with the server that a failed test may have left running. It has a migrated
 * database, in which nothing is stored, unless the test is of how that is made.
 */
export const aDataFolder = async ({ isNew = false } = {}) =>
  disposable(await (isNew ? makeServerFolder : makePreparedFolder)('reward-campaigns-embedded'))

/** The connection string of the server that runs on a folder. */
export async function embeddedUrl(folder: string) {
  const password = await readFile(join(folder, 'password'), 'utf8')
  const [, , , port] = (await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')
  return `postgres://postgres:${password}@127.0.0.1:${port}/reward_campaigns`
}

import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ConfigurationError } from '../config.ts'

const reasons: Record<string, string> = {
  EEXIST: 'there is a file in its place',
  ENOTDIR: 'there is a file in its place, or above it',
  ENOENT: 'no folder can be made there',
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'there is no space left on its disk',
}

/**
 * Creates the folder of the embedded server if there is none.
 * @throws ConfigurationError if it is not a writable folder.
 */
export async function createDataFolder(name: string) {
  const folder = resolve(name)
  try {
    await makeFolder(folder)
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const reason = ('code' in error ? reasons[String(error.code)] : undefined) ?? error.message
    throw new ConfigurationError(`DATA_DIR ${folder} cannot be used: ${reason}`, { cause: error })
  }
  return folder
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/**
 * Not `recursive`: if a file system answers ENOENT for lack of a better code, as /proc does, Node.js never stops
 * trying.
 */
async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process may have been faster.
    if (!(await isFolder(path))) throw error
  })
}

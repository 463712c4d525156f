import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ConfigurationError } from '../config.ts'

const reasons: Record<string, string> = {
  EEXIST: 'there is a file in its place',
  ENOTDIR: 'there is a file in its place, or above it',
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'there is no space left on its disk',
}

/**
 * Makes the folder of the embedded server where there is none.
 * @throws ConfigurationError where it is no folder that can be written to.
 */
export async function createDataFolder(name: string) {
  const folder = resolve(name)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const reason = ('code' in error ? reasons[String(error.code)] : undefined) ?? error.message
    throw new ConfigurationError(`DATA_DIR ${folder} cannot be used: ${reason}`, { cause: error })
  }
  return folder
}

import { statfsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Files in memory, on Linux. */
const MEMORY = '/dev/shm'

/** What the servers of a run take at the same time, with room to spare. */
const NEEDED_BYTES = 3 * 1024 ** 3

/**
 * Where the servers of tests have their data: in memory where there is room. Each test database is a copy of 500 files,
 * which takes a disk up to a second, and memory a thirtieth of that.
 */
export const SERVERS = hasRoom(MEMORY) ? MEMORY : tmpdir()

/** A new folder for the data of a server. */
export const makeServerFolder = (name: string) => mkdtemp(join(SERVERS, `${name}-`))

function hasRoom(folder: string) {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= NEEDED_BYTES
  } catch {
    return false
  }
}

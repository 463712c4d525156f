import { lock } from 'proper-lockfile'

/** After this time the lock of a process that was killed does not count any more; a process that starts waits for longer. */
const STALE_MS = 3000
const RETRIES = { retries: 9, minTimeout: 500, factor: 1 }

export interface LockRefusals {
  /** Another process holds the lock. */
  inUse: Error
  /** The folder of the lock is not there, or cannot be written; with the code of the system. */
  toUnwritable: (code: string) => Error
}

/**
 * Works as the only process that holds a lock: a folder, which exists as long as it is held.
 * @param refusals are thrown where there is no lock.
 * @param work gets a check to be called before each write: while this process was suspended, another one may have taken the
 * lock. It throws `inUse` then.
 */
export async function withExclusiveLock(
  path: string,
  { inUse, toUnwritable }: LockRefusals,
  work: (ensureLocked: () => void) => Promise<void>,
): Promise<void> {
  let isLost = false
  const release = await lock(path, {
    ...{ lockfilePath: path, realpath: false, stale: STALE_MS, update: STALE_MS / 3, retries: RETRIES },
    onCompromised: () => {
      isLost = true
    },
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOCKED') throw inUse
    throw error.syscall === undefined ? error : toUnwritable(String(error.code))
  })
  try {
    await work(() => {
      if (isLost) throw inUse
    })
  } finally {
    if (!isLost) await release()
  }
}

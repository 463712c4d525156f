import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { type DataVersion, type DataVersionReader, isBehind } from './data-version.ts'
import { DatabaseAwayError, isBusy, isRolledBack, isServerFailure } from './failures.ts'
import { shareNextAsking } from './next-asking.ts'
import type { Replica } from './replica.ts'
import type { Replicas } from './replicas.ts'
import { type DatabaseServer, perServer } from './servers.ts'

/** How long a replica may take to say which version it has: longer, and the next one is asked. */
const REPLICA_PATIENCE_MS = 250

/** The same of the primary, where there is somebody else to ask. */
const PRIMARY_PATIENCE_MS = 1000

/** How long a replica is passed over that was behind, or had to cancel a statement for what it replays. */
const PASS_OVER_MS = 100

/** How long a version that has been seen is waited for, before it is given up as lost with the server that had it. */
const LOSS_MS = 1500

/** Who waits for it looks so often. */
const LOOK_MS = 40

/** The servers that public answers are read from. */
export interface ReadServers extends Pick<DataVersionReader, 'hasChanged'> {
  /** Whether one answer may be read from this server and the next from that one. */
  areMany: boolean
  /** The version of the data at the server whose turn it is: never behind one that this process has seen. */
  ask(): Promise<DataVersion>
  /** The version at the server that is most advanced. */
  askNewest(): Promise<DataVersion>
  /** The version at the same server again. @throws ServerWentBackError where it is not as far as it was. */
  askAgain(version: DataVersion): Promise<DataVersion>
  /** Whether what failed at a server is to be tried at another. */
  leave(server: DatabaseServer, error: unknown): boolean
  /** Reads something that is no answer of a version, and yet never behind what has been seen. */
  read<T>(read: (server: DatabaseServer) => Promise<T>): Promise<T>
}

/** Behind one name there may be another server than a moment ago. */
class ServerWentBackError extends Error {
  override readonly name = 'ServerWentBackError'
}

/** One server, which is asked and believed. */
export const onlyServer = (primary: DatabaseServer, versions: DataVersionReader): ReadServers => ({
  areMany: false,
  hasChanged: versions.hasChanged,
  ask: () => versions.read(primary),
  askNewest: () => versions.read(primary),
  askAgain: () => versions.read(primary),
  leave: () => false,
  read: (read) => read(primary),
})

/**
 * Replicas in turn, and their primary where none of them will do. Versions that are given never go back: a replica that
 * is behind the newest one seen is passed over. Where nobody reaches that one any more, it was lost with a primary that is
 * away, or has been restored: after a while the most advanced server is believed, and `onLoss` is told.
 */
export function createReadServers(
  primary: DatabaseServer,
  replicas: Replicas,
  versions: DataVersionReader,
  onLoss: (server: string) => void,
): ReadServers {
  const passedOver = new Map<DatabaseServer, number>()
  const shareAgain = perServer((server) => shareNextAsking(() => readFrom(server)))
  let seen: DataVersion | undefined
  let believing: Promise<DataVersion> | undefined
  let next = 0

  const isReplica = (server: DatabaseServer): server is Replica => server !== primary
  const isKnownAway = (server: DatabaseServer) =>
    isReplica(server) ? server.standing === 'away' : replicas.isPrimaryAway
  const isPassedOver = (server: DatabaseServer) => (passedOver.get(server) ?? 0) > performance.now()
  const passOver = (server: DatabaseServer) => void passedOver.set(server, performance.now() + PASS_OVER_MS)

  /** Replicas one after the other, the primary, and last whoever has failed or was behind just now. */
  function inTurn(): DatabaseServer[] {
    next += 1
    const used = replicas.all.filter(({ standing }) => standing === 'used')
    const first = used.filter((replica) => !isPassedOver(replica))
    const turned = first.map((_, index) => first[(next + index) % first.length] ?? primary)
    const others = [...used.filter(isPassedOver), ...replicas.all.filter(({ isDoubted }) => isDoubted)]
    // Which history is that of the data, the primary says where it can.
    if (seen === undefined) return replicas.isPrimaryAway ? [...turned, ...others, primary] : [primary, ...turned]
    return replicas.isPrimaryAway ? [...turned, ...others, primary] : [...turned, primary, ...others]
  }

  /** Undefined where it does not show the history that is known: the primary is believed that there is another. */
  function readFrom(server: DatabaseServer): Promise<DataVersion | undefined> {
    if (isReplica(server)) return inTime(versions.readContinuation(server), REPLICA_PATIENCE_MS)
    const isAlone = !replicas.all.some(({ standing }) => standing === 'used')
    return isAlone ? versions.read(primary) : inTime(versions.read(primary), PRIMARY_PATIENCE_MS)
  }

  function see(version: DataVersion) {
    if (seen === undefined || !isBehind(version, seen)) seen = version
    return version
  }

  const isNews = (version: DataVersion | undefined): version is DataVersion =>
    version !== undefined && (seen === undefined || !isBehind(version, seen))

  async function askInTurn() {
    const behind: { server: DatabaseServer; version: DataVersion | undefined }[] = []
    let failure: unknown
    for (const server of inTurn()) {
      try {
        const version = await readFrom(server)
        if (isNews(version)) return { version: see(version) }
        behind.push({ server, version })
        passOver(server)
      } catch (error) {
        if (!leave(server, error)) throw error
        failure = error
      }
    }
    return { behind, failure }
  }

  /** What has been seen is not to be had any more. */
  async function believe(behind: { server: DatabaseServer; version: DataVersion | undefined }[]) {
    const best = behind.reduce((best, one) =>
      best.version === undefined || (one.version && isBehind(best.version, one.version)) ? one : best,
    )
    seen = await versions.read(best.server)
    onLoss(best.server.name)
    return seen
  }

  async function ask(): Promise<DataVersion> {
    const deadline = performance.now() + LOSS_MS
    for (;;) {
      const sought = seen
      const { version, behind, failure } = await askInTurn()
      if (version !== undefined) return version
      // A primary that has not answered may have it: it is lost when the primary has not got it, or is known to be away.
      const isLost = replicas.isPrimaryAway || behind.some(({ server }) => server === primary)
      if (behind.length === 0) throw failure
      if (performance.now() >= deadline) {
        if (!isLost) throw failure
        // Who believed another before this one has set out anew from there.
        if (seen !== sought) continue
        believing ??= believe(behind).finally(() => {
          believing = undefined
        })
        return believing
      }
      await sleep(LOOK_MS)
    }
  }

  async function askNewest(): Promise<DataVersion> {
    const asked = replicas.isPrimaryAway ? replicas.all.filter(({ standing }) => standing === 'used') : [primary]
    const answers = await Promise.all(asked.map((server) => readFrom(server).catch(() => undefined)))
    const newest = answers
      .filter(isNews)
      .reduce<DataVersion | undefined>((best, one) => (best && !isBehind(best, one) ? best : one), undefined)
    return newest === undefined ? ask() : see(newest)
  }

  async function askAgain({ server, ...earlier }: DataVersion) {
    const version = await shareAgain(server)()
    if (version === undefined || isBehind(version, { ...earlier, server }))
      throw new ServerWentBackError('it is not as far as it was')
    return see(version)
  }

  function leave(server: DatabaseServer, error: unknown) {
    const isConflict = isRolledBack(error instanceof Error ? error.cause : undefined)
    if (isConflict || error instanceof ServerWentBackError) passOver(server)
    else if (error instanceof Error && isBusy(error)) return isKnownAway(server)
    else if (!isServerFailure(error)) return false
    else if (isReplica(server)) server.suspect(error)
    return true
  }

  async function read<T>(read: (server: DatabaseServer) => Promise<T>): Promise<T> {
    for (let attempts = replicas.all.length + 1; ; attempts -= 1) {
      const version = await ask()
      try {
        const result = await read(version.server)
        // What it shows has been seen from now on.
        await askAgain(version)
        return result
      } catch (error) {
        if (!leave(version.server, error) || attempts === 0) throw error
      }
    }
  }

  return { areMany: true, hasChanged: versions.hasChanged, ask, askNewest, askAgain, leave, read }
}

/** @throws DatabaseAwayError where it takes too long. */
async function inTime<T>(asked: Promise<T>, patienceMs: number): Promise<T> {
  const answered = new AbortController()
  const patience = sleep(patienceMs, undefined, { signal: answered.signal }).then(async () => {
    // A process that was busy may have the answer at hand.
    await turn()
    throw new DatabaseAwayError(`it has not answered in ${patienceMs} ms`)
  })
  try {
    return await Promise.race([asked, patience])
  } finally {
    answered.abort()
    patience.catch(() => undefined)
    asked.catch(() => undefined)
  }
}

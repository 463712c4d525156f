import { describeFailure } from './failures.ts'
import { measureInTime, type ReplicaMeasurement, readReplica } from './replica-measurements.ts'
import type { DatabaseServer } from './servers.ts'

/** Whether a replica is used, and if not, why. */
export type Standing =
  | 'used'
  | 'not measured yet'
  | 'away'
  | 'lagging'
  | 'of another history'
  | 'not a replica any more'
  | 'with a schema that is behind'

/** A server that follows the primary, as it was measured last. */
export interface Replica extends DatabaseServer {
  readonly standing: Standing
  /** How late it is; undefined where that is not known. */
  readonly lagSeconds: number | undefined
  /** Whether it was used until it failed, so that it is worth a try where nobody else answers. */
  readonly isDoubted: boolean
  /** It has failed: it is away, until it has been measured again. */
  suspect(error: unknown): void
}

/** What a measurement is compared with. */
export interface Comparison {
  isPrimaryAway: boolean
  /** By what the primary has written. */
  lagMsOf: (measured: ReplicaMeasurement) => number
  /** Whether it is of the history of the primary; null where that cannot be told now. */
  isOfSameHistory: (measured: ReplicaMeasurement) => Promise<boolean | null>
}

/** What is told of a replica whose standing changes. */
export interface StandingChange {
  replica: string
  standing: Standing
  lagSeconds: number | undefined
  reason: string | undefined
}

/** @param onChange told once, when a replica is used, or is not any more. */
export function createReplica(server: DatabaseServer, maxLagMs: number, onChange: (change: StandingChange) => void) {
  let standing: Standing = 'not measured yet'
  let lagSeconds: number | undefined
  let isDoubted = false
  let isSchemaKnown = false
  /** Null as long as that could not be told. */
  let isOfHistory: boolean | null = null
  const measureServer = measureInTime(() => readReplica(server, isSchemaKnown))

  function become(next: Standing, reason?: string) {
    if (next === standing) return
    isDoubted = next === 'away' && standing === 'used'
    standing = next
    onChange({ replica: server.name, standing, lagSeconds, reason })
  }

  function suspect(error: unknown) {
    // Whoever comes back may be another one.
    isSchemaKnown = false
    lagSeconds = undefined
    become('away', describeFailure(error))
  }

  async function compare(measured: ReplicaMeasurement, { isPrimaryAway, ...primary }: Comparison): Promise<Standing> {
    const isSame = isPrimaryAway ? null : await primary.isOfSameHistory(measured).catch(() => null)
    isOfHistory = isSame ?? isOfHistory
    // One that was promoted is the best there is, while the primary is away.
    if (!measured.isInRecovery) {
      lagSeconds = undefined
      return isPrimaryAway ? 'used' : 'not a replica any more'
    }
    const lagMs = primary.lagMsOf(measured)
    lagSeconds = lagMs / 1000
    if (isOfHistory === false) return 'of another history'
    if (isOfHistory === null && !isPrimaryAway) return 'not measured yet'
    return lagMs > maxLagMs ? 'lagging' : 'used'
  }

  return {
    ...server,
    get standing() {
      return standing
    },
    get lagSeconds() {
      return lagSeconds
    },
    get isDoubted() {
      return isDoubted
    },
    suspect,
    async measure(comparison: Comparison) {
      try {
        const measured = await measureServer()
        isSchemaKnown = measured !== undefined
        become(measured === undefined ? 'with a schema that is behind' : await compare(measured, comparison))
      } catch (error) {
        suspect(error)
      }
    },
  }
}

import { PROBE_CONNECTIONS } from './connections.ts'

/** Files, logs, the listeners, metrics and what libraries open for a moment. */
const OTHER_DESCRIPTORS = 64

/**
 * How many clients may be connected at once: at most `wanted`, and so few that the process never runs out of file
 * descriptors for its own work. A connection to the database may need a second one, by which its query is cancelled.
 */
export function connectionLimit(wanted: number, databaseConnections: number): number {
  return Math.max(
    1,
    Math.min(wanted, descriptorLimit() - OTHER_DESCRIPTORS - PROBE_CONNECTIONS - 2 * databaseConnections),
  )
}

/** Where the system has no such limit, there is none. */
function descriptorLimit(): number {
  const report: { userLimits?: { open_files?: { soft?: unknown } } } = process.report.getReport()
  const limit = report.userLimits?.open_files?.soft
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY
}

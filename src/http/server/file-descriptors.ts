import { PROBE_CONNECTIONS } from './connections.ts'

/** For files, logs, listeners, metrics, and what libraries open briefly. */
const OTHER_DESCRIPTORS = 64

/**
 * The maximum number of connected clients: at most `wanted`, and few enough that the process never runs out of file
 * descriptors for its own work. A database connection may need a second descriptor, to cancel its query.
 */
export function connectionLimit(requested: number, databaseConnections: number): number {
  return Math.max(
    1,
    Math.min(requested, descriptorLimit() - OTHER_DESCRIPTORS - PROBE_CONNECTIONS - 2 * databaseConnections),
  )
}

let known: number | undefined

/** If the system has no such limit, there is none. Read once: a report takes a core 20 ms. */
function descriptorLimit(): number {
  known ??= readDescriptorLimit()
  return known
}

function readDescriptorLimit(): number {
  const report: { userLimits?: { open_files?: { soft?: unknown } } } = process.report.getReport()
  const limit = report.userLimits?.open_files?.soft
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY
}

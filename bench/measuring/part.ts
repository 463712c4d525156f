import type { ChildProcess } from 'node:child_process'
import type { FactsDatabase } from '../data/facts-database.ts'
import type { Job, LoadFigures } from '../processes/load-generator.ts'
import type { Finding, Target } from './measure.ts'

export interface PartContext {
  campaigns: number
  claims: number
  facts: FactsDatabase
  /** A folder that is removed after the run. */
  folder: string
  /** Puts load on a service, from a process of its own. */
  load: (job: Job) => Promise<LoadFigures>
  /** Aborted when the part has taken too long. */
  signal: AbortSignal
  log: (what: string) => void
}

/** A part of the measurements, which can be run by itself. */
export interface Part {
  /** The part is interrupted after this time. */
  limitMinutes: number
  targets: Record<string, Target>
  /** Yields each finding at once, so that findings before a failure are not lost. */
  measure: (context: PartContext) => AsyncIterable<Finding>
}

/** An HTTP server in a process whose processor time can be read. */
export interface Contestant {
  name: string
  url: string
  process: ChildProcess
}

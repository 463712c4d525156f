import type { ChildProcess } from 'node:child_process'
import type { FactsDatabase } from '../data/facts-database.ts'
import type { Job, LoadFigures } from '../processes/load-generator.ts'
import type { Finding, Target } from './measurements.ts'

export interface PartContext {
  campaigns: number
  claims: number
  facts: FactsDatabase
  /** A folder that is gone after the run. */
  folder: string
  /** Puts load on a service, from a process of its own. */
  load: (job: Job) => Promise<LoadFigures>
  /** Aborted when the part has taken too long. */
  signal: AbortSignal
  say: (what: string) => void
}

/** A part of the measurements, which can be run by itself. */
export interface Part {
  /** Longer than this it does not take. */
  limitMinutes: number
  targets: Record<string, Target>
  /** Tells what it finds as it goes: what is found before a failure is not lost. */
  measure: (context: PartContext) => AsyncIterable<Finding>
}

/** Something that answers, in a process that can be watched. */
export interface Contestant {
  name: string
  url: string
  process: ChildProcess
}

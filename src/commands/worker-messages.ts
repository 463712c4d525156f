import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { CountClient, Rate } from '../http/rate-limits.ts'
import type { StartNews } from './service-start.ts'

/** How often a worker says that it is alive. */
export const ALIVE_MS = 5000

/** What a process has measured. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[]

/** A client that is to be counted for a limit. */
export type CountedClient = Parameters<CountClient>

/** What the process that supervises says to a worker. */
export type ToWorker =
  | { kind: 'news'; news: StartNews }
  | { kind: 'rates'; id: number; rates: Rate[] }
  /** It wants to know what has been measured. */
  | { kind: 'figures'; id: number }

/** What a worker says to the process that supervises it. */
export type FromWorker =
  /** From now on it hears what it is told. */
  | { kind: 'hello' }
  | { kind: 'alive' }
  | { kind: 'clients'; id: number; clients: CountedClient[] }
  | { kind: 'figures'; id: number; figures: Figures }

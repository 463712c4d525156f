import { LOOKUP_CONNECTIONS } from '../database/client.ts'
import type { Settings } from '../settings.ts'

/** Connections of the process that supervises workers: one moves windows on while the other is asked how the data is. */
export const SUPERVISING_CONNECTIONS = 2

/** The most connections to the database that `serve` opens with these settings, in all its processes. */
export const servingConnections = ({ WORKERS: workers, DATABASE_POOL_SIZE: poolSize }: Settings) =>
  workers * (poolSize + LOOKUP_CONNECTIONS) + (workers > 1 ? SUPERVISING_CONNECTIONS : 0)

import { openDatabase } from '../../src/database/client.ts'
import type { DataVersion, DataVersionReader } from '../../src/database/data-version.ts'
import { onlyServer } from '../../src/database/read-servers.ts'

const { database } = openDatabase({
  url: 'postgres://nobody@127.0.0.1:1/nothing',
  poolSize: 1,
  connectionTimeoutMs: 1,
  statementTimeoutMs: 1,
  onIdleError: () => undefined,
})

/** A server for tests in which nothing is asked of it. */
export const unaskedServer = { name: 'unasked', database, lookups: database }

/** It, with the versions of a test. */
export const unaskedServers = (readVersion: () => DataVersion, hasChanged: DataVersionReader['hasChanged']) => {
  const read = async () => readVersion()
  return onlyServer(unaskedServer, { read, readContinuation: read, hasChanged })
}

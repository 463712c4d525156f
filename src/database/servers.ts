import type { Database } from './client.ts'

/** A server that may be read from, on the two lanes of a service. */
export interface DatabaseServer {
  /** What an operator knows it by; never a credential. */
  name: string
  database: Database
  /** Where what is cheap is asked, so that it never waits for what is slow. */
  lookups: Database
}

/** Something for each server, made when it is first asked for: what is asked of one is never mixed with another. */
export function perServer<Value>(make: (server: DatabaseServer) => Value): (server: DatabaseServer) => Value {
  const made = new Map<DatabaseServer, Value>()
  return (server) => {
    const known = made.get(server)
    if (known !== undefined) return known
    const value = make(server)
    made.set(server, value)
    return value
  }
}

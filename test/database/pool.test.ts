import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { openPool } from '../../src/database/connection/pool.ts'
import { createTestDatabase } from '../setup/database.ts'

/** A way to a database that names the severity of errors in German, as a server with such `lc_messages` does. */
async function inGerman(databaseUrl: string) {
  const { port, hostname } = new URL(databaseUrl)
  const server = createServer((client) => {
    const database = connect(Number(port), hostname)
    // What the server still says when the pool has closed reaches nobody.
    for (const socket of [client, database]) socket.on('error', () => undefined)
    client.pipe(database)
    database.on('data', (bytes) => {
      const at = bytes.indexOf('SERROR\0')
      if (at === -1) return void client.write(bytes)
      const header = Buffer.from(bytes.subarray(0, at))
      // The length of the message, before its first field.
      header.writeInt32BE(header.readInt32BE(at - 4) + 1, at - 4)
      client.write(Buffer.concat([header, Buffer.from('SFEHLER\0'), bytes.subarray(at + 7)]))
    })
    client.on('close', () => database.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.href, [Symbol.dispose]: () => void server.close() }
}

test('a statement that fails keeps its connection, whatever the language of the server', async () => {
  await using database = await createTestDatabase()
  using german = await inGerman(database.url)
  const { pool, close } = openPool({
    ...{ url: german.url, applicationName: 'reward-campaigns test', poolSize: 1 },
    ...{ connectionTimeoutMs: 5000, statementTimeoutMs: 5000, onIdleError: () => undefined },
  })
  const session = async () => (await pool.query({ text: 'select pg_backend_pid() as pid' })).rows
  const before = await session()
  await expect(pool.query({ text: 'select 1 / 0' })).rejects.toMatchObject({ severity: 'FEHLER' })
  expect(await session()).toEqual(before)
  await close()
})

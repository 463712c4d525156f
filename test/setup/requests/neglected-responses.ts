import { connect } from 'node:net'
import { createTestDatabase } from '../database.ts'
import { aCampaign, anAddress } from '../records.ts'
import { startTestApp } from '../test-app.ts'

/** Addresses of loopback stand for clients: who does not read what was asked for, and somebody else. */
export const [SLOW, OTHER] = ['127.0.0.2', '127.0.0.3'] as const

/** A database with campaigns whose details are so large, and the paths of these. */
export async function createLargeDetails({ campaigns: count, megabytes }: { campaigns: number; megabytes: number }) {
  const database = await createTestDatabase()
  await using api = await startTestApp({}, database)
  const allowList = { owner: anAddress('owner'), contractAddress: anAddress('list'), type: 'SimpleAllowList' as const }
  const addresses = Array.from({ length: 101 }, (_, index) => anAddress(index))
  const campaigns = Array.from({ length: count }, () => aCampaign({ allowList: { ...allowList, addresses } }))
  await api.save(...campaigns)
  // Nothing is derived from so many, and they refer to what is there.
  await database.query(
    `set session_replication_role = replica; insert into allow_list_addresses (campaign_key, address)
     select key, '0x' || lpad(to_hex(number), 40, '0') from campaigns, generate_series(1, ${Math.ceil((megabytes * 1024 ** 2) / 45)}) as number`,
  )
  return { database, details: campaigns.map(({ id }) => `/campaigns/${id}`) }
}

/** Sends a request twenty times and reads what fits into the least buffers. */
export function neglect(port: number, path: string) {
  const socket = connect({ port, host: '127.0.0.1', localAddress: SLOW }).on('error', () => undefined)
  socket.pause().write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(20))
  return socket
}

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A response as it came over a socket, down to its last byte. */
export interface RawResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Makes an app listen on a free port. */
export async function listen(app: FastifyInstance) {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

/** A port on which nobody listens. */
export async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Sends a request as it is written and reads the response until the server ends the connection. */
export async function exchange(port: number, text: string, encoding: BufferEncoding = 'utf8'): Promise<RawResponse> {
  const socket = connect(port, '127.0.0.1')
  const received = collect(socket)
  socket.write(Buffer.from(text, encoding))
  return parse(await received)
}

/** All that a server sends until it ends the connection. */
export function collect(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no end after ${Buffer.concat(chunks).toString()}`)))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // The server may end the connection before it has read all.
    socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
  })
}

export function parse(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4) }
}

import type { FastifyInstance } from 'fastify'
import { ConfigurationError } from '../config.ts'
import type { Settings } from '../settings.ts'

/**
 * Listens on `HOST` and the port of a setting.
 * @throws ConfigurationError if the operating system refuses.
 */
export async function listenOn(app: FastifyInstance, settings: Settings, name: 'PORT' | 'METRICS_PORT') {
  const address = { host: settings.HOST, port: settings[name] ?? 0 }
  try {
    await app.listen(address)
  } catch (error) {
    const sentence = describeListenFailure(error, address, name)
    throw sentence === undefined ? error : new ConfigurationError(sentence, { cause: error })
  }
}

/** The URL of a listener for a browser on this machine. */
function toLocalUrl(address: string, port: number) {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  const host = everywhere[address] ?? address
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The URL of a listening service for a browser on this machine; undefined if it does not listen. */
export function addressOf(app: FastifyInstance) {
  const [bound] = app.addresses()
  return typeof bound === 'object' ? toLocalUrl(bound.address, bound.port) : ''
}

/** What is wrong with the settings; undefined for any other error. */
export function describeListenFailure(error: unknown, { host, port }: { host: string; port: number }, name: string) {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return `${name} ${port} is in use on ${host}: end what listens there, or set ${name} to another port`
  if (code === 'EACCES' || code === 'EPERM')
    return `${name} ${port} is not open to this account: set ${name} to a port from 1024 on`
  if (code === 'EADDRNOTAVAIL') return `HOST ${host} is no address of this machine`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `HOST ${host} is not known by that name`
  return undefined
}

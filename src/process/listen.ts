import { basename, dirname } from 'node:path'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { ConfigurationError } from '../config.ts'
import { isTerminal } from '../observability/logging.ts'
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

/** How the commands are called here: in a checkout, or from the installed package. */
const COMMAND = basename(dirname(import.meta.dirname)) === 'dist' ? 'reward-campaigns' : 'npm run cli --'

/** What is served: which database, and whether it holds sample data. */
export interface ServedData {
  database: string
  hasSampleData: boolean
}

/** Says that the service is ready, and with which data; at a terminal with what else a newcomer wants to know. */
export function logReady(
  log: Pick<FastifyBaseLogger, 'info'>,
  address: string,
  settings: Settings,
  served: ServedData,
) {
  if (isTerminal) log.info(welcome(address, settings, served))
  else log.info(served, 'ready')
}

/** What a newcomer at a terminal wants to know once the service is ready at a URL. */
export function welcome(address: string, settings: Settings, { database, hasSampleData }: ServedData) {
  const isServed = (surface: 'public' | 'staging') => settings.SURFACES.includes(surface)
  const lines = [
    ...(settings.EXPLORER && isServed('public') ? [['explorer', `${address}/`]] : []),
    ['API', `${address}${isServed('public') ? '/campaigns' : '/users/profile'}`],
    ['docs', `${address}/docs`],
    ['guides', `${address}/docs/guides`],
    ['OpenAPI', `${address}/openapi.json`],
    ['database', `${database}, with${hasSampleData ? '' : 'out'} sample data`],
    ['import', `${COMMAND} import FILE`],
    ...(isServed('staging') ? [['token', `${COMMAND} token create --user USER`]] : []),
    ['end', 'Ctrl-C'],
  ]
  const block = lines.map(([name = '', what]) => `  ${name.padEnd(8)}  ${what}\n`).join('')
  return `ready\n\n${block}\n  Commands go into a second terminal, with the same settings.\n`
}

import { basename, dirname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../config.ts'

/** How the commands are called here: in a checkout, or where the package is installed. */
const COMMAND = basename(dirname(import.meta.dirname)) === 'dist' ? 'reward-campaigns' : 'npm run cli --'

/** What a newcomer at a terminal wants to know once the service is ready. */
export function welcome(app: FastifyInstance, settings: Settings) {
  const address = addressOf(app)
  const isServed = (surface: 'public' | 'staging') => settings.SURFACES.includes(surface)
  const lines = [
    ...(settings.EXPLORER && isServed('public') ? [['explorer', `${address}/`]] : []),
    ['API', `${address}${isServed('public') ? '/campaigns' : '/users/profile'}`],
    ['docs', `${address}/docs`],
    ['guides', `${address}/docs/guides`],
    ['OpenAPI', `${address}/openapi.json`],
    ['import', `${COMMAND} import FILE`],
    ...(isServed('staging') ? [['token', `${COMMAND} token create --user USER`]] : []),
    ['end', 'Ctrl-C'],
  ]
  const block = lines.map(([name = '', what]) => `  ${name.padEnd(8)}  ${what}\n`).join('')
  return `ready\n\n${block}\n  Commands go into a second terminal, with the same settings.\n`
}

/** Where a browser on this machine finds the service. */
function addressOf(app: FastifyInstance) {
  const [bound] = app.addresses()
  if (typeof bound !== 'object') return ''
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  const host = everywhere[bound.address] ?? bound.address
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`
}

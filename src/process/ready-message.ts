import { basename, dirname } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { isTerminal } from '../observability/logging.ts'
import type { Settings } from '../settings.ts'

/** How the commands are called here: in a checkout, or from the installed package. */
const COMMAND = basename(dirname(import.meta.dirname)) === 'dist' ? 'reward-campaigns' : 'npm run cli --'

/** Says that the service is ready; at a terminal with what a newcomer wants to know. */
export function logReady(log: Pick<FastifyBaseLogger, 'info'>, address: string, settings: Settings) {
  log.info(isTerminal ? welcome(address, settings) : 'ready')
}

/** What a newcomer at a terminal wants to know once the service is ready at a URL. */
export function welcome(address: string, settings: Settings) {
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

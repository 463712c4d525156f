import { open, readFile, rm } from 'node:fs/promises'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import compile from '../../test/setup/build.ts'
import { CLI } from '../../test/setup/servers/processes.ts'
import { endProcess, responseOf, startHelper, startProgram } from '../measuring/child-processes.ts'
import type { Contestant, PartContext } from '../measuring/part.ts'

const START_LIMIT_MS = 60_000

/** As in production: one log line for each request, written to a file. */
export const LOG_LEVEL = 'info'

let logs = 0
let compiled: Promise<void> | undefined

/**
 * `serve` as the image has it, on an external database.
 * @param cacheMegabytes 0 disables the response cache.
 */
export const startService = (context: ServiceContext, databaseUrl: string, cacheMegabytes: number) =>
  startServe(context, { DATABASE_URL: databaseUrl, RESPONSE_CACHE_MB: String(cacheMegabytes) })

type ServiceContext = Pick<PartContext, 'folder' | 'signal'>

/** `serve` as the image has it: compiled, in production mode, its log in a file. */
export async function startServe(
  { folder, signal }: ServiceContext,
  settings: Record<string, string>,
): Promise<Contestant & AsyncDisposable> {
  compiled ??= compile()
  await compiled
  logs += 1
  const logFile = join(folder, `service-${logs}.log`)
  const log = await open(logFile, 'w')
  const child = startProgram(process.execPath, [CLI, 'serve'], {
    settings: { ENV_FILE: devNull, PORT: '0', LOG_LEVEL, ...settings },
    stdout: log.fd,
  })
  await log.close()
  const dispose = async () => {
    await endProcess(child)
    await rm(logFile, { force: true })
  }
  try {
    const deadline = Date.now() + START_LIMIT_MS
    while (child.exitCode === null && Date.now() < deadline) {
      signal.throwIfAborted()
      const said = await readFile(logFile, 'utf8')
      const url = /Server listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]
      if (url !== undefined && (await isReady(url))) {
        return { name: 'the service', url, process: child, [Symbol.asyncDispose]: dispose }
      }
      await sleep(50)
    }
    throw new Error(`the service did not start: ${(await readFile(logFile, 'utf8')).slice(-500)}`)
  } catch (error) {
    await dispose()
    throw error
  }
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

/** A Fastify route that responds with the bytes that a service has for these paths now. */
export async function startBareRoute(service: Contestant, paths: string[]): Promise<Contestant & AsyncDisposable> {
  const child = startHelper('bare-route.ts')
  child.send({ url: service.url, paths })
  const url = await responseOf<string>(child, START_LIMIT_MS)
  return { name: 'the bare route', url, process: child, [Symbol.asyncDispose]: () => endProcess(child) }
}

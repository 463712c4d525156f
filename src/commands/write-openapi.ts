import { writeFile } from 'node:fs/promises'
import { requestFiles } from 'reward-campaigns-example-requests'
import { stringify } from 'yaml'
import { buildApp } from '../app.ts'
import { openPool } from '../database/connection/pool.ts'
import { toOpenApi } from '../http/openapi.ts'
import type { Settings } from '../settings.ts'

/** The format of a file, by its extension; JSON if unknown. */
const formats: [end: RegExp, write: (document: object) => string][] = [
  [/\.ya?ml$/, (document) => stringify(document, { aliasDuplicateObjects: false })],
  ...requestFiles,
  [/$/, (document) => `${JSON.stringify(document, undefined, 2)}\n`],
]

/** `openapi`: writes the OpenAPI document, and the collections made from it, without a database. */
export async function writeOpenApi(settings: Settings, { output = [] }: { output?: string[] }) {
  // Never connected to: describing the service needs no query.
  const { database, close } = openPool({
    url: 'postgres://127.0.0.1',
    poolSize: 1,
    connectionTimeoutMs: 1,
    statementTimeoutMs: 1,
    onIdleError: () => undefined,
  })
  const app = await buildApp({ database, settings: { ...settings, LOG_LEVEL: 'silent' }, isReady: async () => false })
  try {
    await app.ready()
    const document = toOpenApi(app)
    const textOf = (name: string) => formats.find(([end]) => end.test(name))?.[1](document) ?? ''
    if (output.length === 0) process.stdout.write(textOf(''))
    for (const file of output) await writeFile(file, textOf(file))
  } finally {
    await app.close()
    await close()
  }
}

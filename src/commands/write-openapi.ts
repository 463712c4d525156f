import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import { buildApp } from '../app.ts'
import type { Settings } from '../config.ts'
import { openDatabase } from '../database/client.ts'

/** `openapi`: the OpenAPI document, without a database. YAML where the file's name ends so. */
export async function writeOpenApi(settings: Settings, options: { output?: string }) {
  // Never connected to: describing the service asks the database nothing.
  const { database, close } = openDatabase({
    url: 'postgres://127.0.0.1',
    poolSize: 1,
    connectionTimeoutMs: 1,
    statementTimeoutMs: 1,
    onIdleError: () => undefined,
  })
  const app = await buildApp({ database, settings: { ...settings, LOG_LEVEL: 'silent' }, isReady: async () => false })
  try {
    await app.ready()
    const document = app.swagger()
    const text = /\.ya?ml$/.test(options.output ?? '')
      ? stringify(document, { aliasDuplicateObjects: false })
      : `${JSON.stringify(document, undefined, 2)}\n`
    if (options.output === undefined) process.stdout.write(text)
    else await writeFile(options.output, text)
  } finally {
    await app.close()
    await close()
  }
}

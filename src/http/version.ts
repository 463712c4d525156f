import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of the package, and so of the described API. */
export const { version }: { version: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
)

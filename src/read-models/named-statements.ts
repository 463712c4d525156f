import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** As many folders above as from the bundle. */
const SOURCES_FOLDER = join(import.meta.dirname, '../../src')

/**
 * The statements of an SQL file by their names. Each begins with a line `-- name: …`; TypeScript says when it runs. Comments right
 * below that line are for readers of the file, and are not sent.
 * @param file from `src`.
 * @param names all that the file has.
 * @throws TypeError if the file has others.
 */
export function readStatements<Name extends string>(file: string, ...names: readonly Name[]): Record<Name, string> {
  const parts = readFileSync(join(SOURCES_FOLDER, file), 'utf8').split(/^-- name: /m)
  const found = parts.slice(1).map((part): [string, string] => {
    const [, name = '', sql = ''] = /^(\w+)\n(?:--[^\n]*\n)*([\s\S]*?);?\s*$/.exec(part) ?? []
    return [name, sql]
  })
  const inFile = found.map(([name]) => name).sort()
  if (parts[0] !== '' || inFile.join() !== [...names].sort().join()) {
    throw new TypeError(`${file} has the statements ${inFile.join(', ')}, of which ${names.join(', ')} are used`)
  }
  return Object.fromEntries(found) as Record<Name, string>
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export type ProjectName = 'unit' | 'api' | 'process' | 'browser'

/** The tests of the service, and those of packages that stand on their own. */
const TEST_FOLDERS = ['test', 'packages/embedded-postgres/test', 'packages/strict-http/test']

/** Folders whose files are looked into: of what tests import from elsewhere, only the names count. */
const FOLLOWED = [...TEST_FOLDERS, 'demo'].map((folder) => join(root, folder, '/'))

/** The first project of which a test file imports something, itself or through other files of the tests; else it is pure. */
const IMPORTS: [project: ProjectName, path: RegExp][] = [
  ['browser', /^playwright-core$/],
  ['process', /^node:child_process$|\/embedded-(database|postgres)\.ts$/],
  ['api', /\/test\/setup\/database\.ts$/],
]

/** Imports that are there when a file runs: not those of types alone. */
const IMPORT = /^(?:import|export)\s(?!type\s)(?:[^'"]*?\sfrom\s)?\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm

/**
 * Of which speed a file is: `npm test` runs the usual ones, `npm run test:deep` those whose name says so, and again, with more of what they
 * draw, those that ask how often something is tried.
 */
export type Speed = 'usual' | 'deep'

const DEEP_FILE = /\.deep\.test\.ts$/
const DRAWS_MORE = join(root, 'test/setup/repetitions.ts')

/**
 * The test files of each project, as paths from the root; all of them, or those of one speed. What a file imports decides, so no
 * list can become outdated.
 */
export function findProjectFiles(speed?: Speed) {
  const files: Record<ProjectName, string[]> = { unit: [], api: [], process: [], browser: [] }
  const known = new Map<string, string[]>()
  for (const file of TEST_FOLDERS.flatMap(listTests)) {
    const imported = new Set<string>()
    collectImports(join(root, file), imported, known)
    const isDeep = DEEP_FILE.test(file)
    if (speed === 'usual' && isDeep) continue
    if (speed === 'deep' && !isDeep && !imported.has(DRAWS_MORE)) continue
    const [project] = IMPORTS.find(([, path]) => [...imported].some((name) => path.test(name))) ?? ['unit']
    files[project].push(file)
  }
  return files
}

/** Paths from the root. */
const listTests = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort()

function collectImports(file: string, imported: Set<string>, known: Map<string, string[]>) {
  const names = known.get(file) ?? readImports(file)
  known.set(file, names)
  for (const name of names) {
    if (imported.has(name)) continue
    imported.add(name)
    // What is no file stands in a text.
    if (FOLLOWED.some((folder) => name.startsWith(folder)) && existsSync(name)) collectImports(name, imported, known)
  }
}

/** Names of packages, and paths of files. */
const readImports = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)]
    .map(([, declared, dynamic]) => declared ?? dynamic ?? '')
    .map((name) => (name.startsWith('.') ? join(dirname(file), name) : name))

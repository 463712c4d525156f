import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CLI, NodeProcess } from './processes.ts'
import { makeServerFolder } from './server-folder.ts'

const root = join(import.meta.dirname, '../../..')

/** What a later version of the service has that this one has not. */
export interface Changes {
  /** SQL of a migration after those of this version. */
  migration?: string
  /** Other texts of files of `src`. */
  sources?: Record<string, (text: string) => string>
  version?: string
}

/** The name of its migration. */
export const NEXT_MIGRATION = '0001_change-for-a-test'

/** The commands as a package of a later version, which has these changes. */
export async function makeNextVersion({ migration, sources = {}, version }: Changes) {
  const folder = await makeServerFolder('next-version')
  for (const part of ['migrations', 'package.json', dirname(dirname(CLI))])
    await cp(join(root, part), join(folder, part), { recursive: true, filter: (path) => !/cluster_/.test(path) })
  await cp(join(root, 'src'), join(folder, 'src'), { recursive: true, filter: (path) => !/\.ts$/.test(path) })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const change = async (file: string, to: (text: string) => string) => {
    const path = join(folder, file)
    const text = await readFile(path, 'utf8')
    const changed = to(text)
    if (changed === text) throw new Error(`nothing is changed in ${file}`)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, changed)
  }
  if (migration !== undefined) {
    await writeFile(join(folder, `migrations/${NEXT_MIGRATION}.sql`), migration)
    await change('migrations/meta/_journal.json', (text) => {
      const journal: { entries: { idx: number; when: number; tag: string }[] } = JSON.parse(text)
      const last = journal.entries.at(-1)
      if (last === undefined) throw new Error('there is no migration')
      const next = { ...last, idx: last.idx + 1, when: last.when + 1, tag: NEXT_MIGRATION }
      return JSON.stringify({ ...journal, entries: [...journal.entries, next] })
    })
  }
  for (const [file, to] of Object.entries(sources)) await change(`src/${file}`, to)
  if (version !== undefined)
    await change('package.json', (text) => text.replace(/"version": "[^"]+"/, `"version": "${version}"`))
  const start = (parameters: string[], settings: Record<string, string>) =>
    new NodeProcess([join(folder, CLI), ...parameters], settings)
  return {
    start,
    async run(parameters: string[], settings: Record<string, string>, input = '') {
      await using running = start(parameters, settings)
      running.child.stdin.end(input)
      return await running.ended
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** What is written by hand: in which file, before which text; a new file where there is none. */
export type Recipe = [file: string, before: string | undefined, added: string][]

/** The files of a recipe, each once. */
export const filesOf = (recipe: Recipe) => [...new Set(recipe.map(([file]) => file))]

/** A copy of the sources to which a recipe was done. It stands where packages are found. */
export async function copySources(recipe: Recipe) {
  await mkdir(join(root, '.cache'), { recursive: true })
  const folder = await mkdtemp(join(root, '.cache/recipe-'))
  // What was built for the tests.
  await symlink(join(root, '.test-build'), join(folder, '.test-build'))
  for (const name of [
    'src',
    'test/setup',
    'package.json',
    'tsconfig.json',
    'drizzle.config.ts',
    'migrations',
    'packages',
  ]) {
    const filter = (path: string) => !path.includes('node_modules')
    await cp(join(root, name), join(folder, name), {
      recursive: true,
      filter: name === 'packages' ? filter : undefined,
    })
  }
  for (const [file, before, added] of recipe) {
    const path = join(folder, file)
    await mkdir(dirname(path), { recursive: true })
    if (before === undefined) {
      await writeFile(path, added)
      continue
    }
    const text = await readFile(path, 'utf8')
    expect(text.split(before), `${file}: ${before}`).toHaveLength(2)
    await writeFile(
      path,
      text.replace(before, () => added + before),
    )
  }
  return {
    folder,
    /** A module of the copy. */
    load: <Module>(path: string) => import(/* @vite-ignore */ join(folder, path)) as Promise<Module>,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

/** The files of these folders that a paragraph of CONTRIBUTING names, which begins with these words. */
export async function filesToldOf(title: string, folders = ['src']) {
  const text = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8')
  const paragraph = text.split(`**${title}**`)[1]?.split('\n\n**')[0] ?? ''
  const named = new RegExp(`\`((?:${folders.join('|')})/[^\`]+\\.\\w+)\``, 'g')
  return [...paragraph.matchAll(named)].map(([, file]) => String(file))
}

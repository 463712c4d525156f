import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes the files of a folder that is served, in their order, and removes all others. Whoever reads one meanwhile, another
 * start among them, finds all of it or nothing.
 *
 * @param {string} folder
 * @param {Iterable<[path: string, content: Uint8Array | string]>} files
 */
export async function writeFolder(folder, files) {
  const kept = new Set()
  const unfinished = `${folder}-unfinished-${process.pid}`
  for (const [path, content] of files) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(unfinished, content)
    await rename(unfinished, file)
    kept.add(file)
  }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && !kept.has(file)) await rm(file, { force: true })
  }
}

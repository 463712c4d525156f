import { rename, rm, writeFile } from 'node:fs/promises'

/**
 * Writes a file as a whole, on the disk before it has its name. What a process that was killed has left under the name beside it is
 * removed, and never written through: it may be a link that another account has made.
 */
export async function replaceFile(path: string, text: string, beforeRename: () => void = () => undefined) {
  const unfinished = `${path}.new`
  await rm(unfinished, { force: true })
  await writeFile(unfinished, text, { flag: 'wx', flush: true })
  beforeRename()
  await rename(unfinished, path)
}

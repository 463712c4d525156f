import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Files of the project, which are remembered when they are read: a change of one makes what was made of it old. */
export interface Project {
  /** Paths from the root of all that was read. */
  files: Set<string>
  read: (file: string) => Promise<string>
  /** The names in a folder. */
  list: (folder: string) => Promise<string[]>
}

export function openProject(root: string): Project {
  const files = new Set<string>()
  return {
    files,
    read(file) {
      files.add(file)
      return readFile(join(root, file), 'utf8')
    },
    list(folder) {
      files.add(folder)
      return readdir(join(root, folder))
    },
  }
}

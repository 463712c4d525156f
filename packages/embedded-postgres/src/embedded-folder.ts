import { lstat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { EmbeddedServerError } from './embedded-error.ts'

/** The folder of this program. */
const PROGRAM = join(import.meta.dirname, '../..')

const STICKY = 0o1000

/**
 * As root, requires a folder that no other account can change or replace: it and its parents belong to root, and only
 * root may write there. A sticky parent such as `/tmp` is accepted, since others cannot rename root's entries there.
 * Folders above this program are not checked: write access there already allows replacing the program.
 * @param folder without symbolic links
 * @throws EmbeddedServerError with the first folder that another account can change
 */
export async function requireOwnFolder(folder: string) {
  if (process.getuid?.() !== 0) return
  for (const path of [folder, ...foldersAbove(folder)]) {
    if (isAboveProgram(path)) continue
    const { uid, gid, mode } = await lstat(path)
    if (uid !== 0) throw new EmbeddedServerError(refusal(folder, `${path} belongs to another account (${uid})`))
    const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== 0)
    if (isOpen && (path === folder || (mode & STICKY) === 0))
      throw new EmbeddedServerError(refusal(folder, `other accounts may write to ${path}`))
  }
}

/**
 * Requires an entry that belongs to an account, is no symbolic link and of the right kind.
 * @throws EmbeddedServerError
 */
export async function requireOwned(path: string, kind: 'folder' | 'secret file', owner = process.getuid?.()) {
  const found = await lstat(path)
  if (kind === 'folder' ? !found.isDirectory() : !found.isFile())
    throw new EmbeddedServerError(`${path} is not a ${kind === 'folder' ? 'folder' : 'file'}: it is not used`)
  if (owner === undefined) return
  if (found.uid !== owner)
    throw new EmbeddedServerError(`${path} belongs to account ${found.uid} and not to ${owner}`, {
      problem: 'other-account',
    })
  if (kind === 'secret file' && (found.mode & 0o077) !== 0)
    throw new EmbeddedServerError(`other accounts may read ${path}: it is not used`)
}

const refusal = (folder: string, reason: string) =>
  `root does not run PostgreSQL from ${folder}, which others can change: ${reason}`

const isAboveProgram = (folder: string) =>
  `${PROGRAM}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)

/** The parents of a folder, the nearest first. */
export function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [] : [above, ...foldersAbove(above)]
}

/** Whether a file, a folder or a link (even a broken one) exists. */
export const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )

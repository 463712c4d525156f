import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Static, Type } from '@sinclair/typebox'
import { recordKinds } from '../../database/exported-records/record-columns.ts'
import type { RecordFormat } from '../../database/exported-records/record-sql.ts'
import { OperatorError } from '../../operator-error.ts'
import { withExclusiveLock } from '../../process/exclusive-lock.ts'
import { replaceFile } from '../../process/replace-file.ts'
import { createValidator } from '../../schemas/validator.ts'

/** A folder that cannot be gone on with; the message says why and what to do. */
export class ExportFolderError extends OperatorError {
  override readonly name = 'ExportFolderError'
}

/** What `cursor.json` says: how far the files are whole, and where the changes go on. */
const CopyState = Type.Object({
  format: Type.Union([Type.Literal('ndjson'), Type.Literal('csv')]),
  /** The cursor of the changes that the files have; empty until all of them were whole once. */
  cursor: Type.String(),
  /** Bytes of each file; what is behind them was being written when the process was killed. */
  bytes: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  /** The newest instant of each token of which the prices are there. */
  pricedTo: Type.Record(Type.String(), Type.String()),
})
export type CopyState = Omit<Static<typeof CopyState>, 'pricedTo'> & { pricedTo: Record<string, string | undefined> }

const STATE = 'cursor.json'

/** The file of removals, for which tables have no row. */
export const REMOVALS = 'removals.ndjson'

/** A folder of which this process is the only one that writes. */
export interface LockedFolder {
  path: string
  /** To be called before each write: while the process was suspended, another one may have taken the folder. @throws ExportFolderError */
  ensureLocked: () => void
}

/** The state of a folder, which is an export's from now on. @throws ExportFolderError */
export async function openState(folder: LockedFolder, format: RecordFormat): Promise<CopyState> {
  const path = join(folder.path, STATE)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new ExportFolderError(`${path} cannot be read: ${error.message}`)
  })
  if (text === undefined) return beginState(folder, format)
  const state = parseState(text)
  if (state === undefined) {
    throw new ExportFolderError(`${path} is damaged: export to another folder`)
  }
  if (state.format !== format) {
    throw new ExportFolderError(`${folder.path} has an export as ${state.format}: export ${format} to another folder`)
  }
  await discardUnfinished(folder, state)
  return state
}

const namesOf = (format: RecordFormat) => [...recordKinds.map((kind) => `${kind}.${format}`), REMOVALS]

/** Removes what was being written when the process was killed, or the database went away: what changed may have changed back since. */
export async function discardUnfinished(folder: LockedFolder, { format, bytes }: CopyState) {
  const present = await readdir(folder.path)
  for (const name of namesOf(format)) {
    if (!present.includes(name)) continue
    const path = join(folder.path, name)
    folder.ensureLocked()
    const whole = bytes[name]
    if (whole === undefined) await rm(path)
    else if ((await stat(path)).size > whole) await truncate(path, whole)
  }
}

function parseState(text: string) {
  try {
    const state: unknown = JSON.parse(text)
    return createValidator([]).compile<CopyState>(CopyState)(state) ? state : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

async function beginState(folder: LockedFolder, format: RecordFormat) {
  const names = namesOf(format)
  const foreign = (await readdir(folder.path)).find((name) => names.includes(name))
  if (foreign !== undefined) {
    throw new ExportFolderError(`${folder.path} has a ${foreign} that no export wrote: export to another folder`)
  }
  const state: CopyState = { format, cursor: '', bytes: {}, pricedTo: {} }
  await writeState(folder, state)
  return state
}

/**
 * Writes all that comes to the end of a file, from `start` on. At its end wherever that is: what a process that was suspended
 * still writes is behind what others have written, and never in the midst of it.
 * @returns the bytes of the file.
 */
export async function appendTo(folder: LockedFolder, name: string, start: number, chunks: AsyncIterable<Buffer>) {
  const path = join(folder.path, name)
  let size = start
  async function* whileLocked() {
    for await (const chunk of chunks) {
      folder.ensureLocked()
      size += chunk.length
      yield chunk
    }
  }
  folder.ensureLocked()
  const file = await open(path, 'a')
  try {
    if ((await file.stat()).size < start)
      throw new ExportFolderError(`${path} is shorter than it was: export to another folder`)
    await file.truncate(start)
    await writeFile(file, whileLocked())
    await file.sync()
    folder.ensureLocked()
    if ((await file.stat()).size !== size)
      throw new ExportFolderError(`${path} was written by another process meanwhile: export again`)
    return size
  } finally {
    await file.close()
  }
}

/** The whole lines of a file. */
async function* linesOf(folder: string, name: string, bytes: number) {
  if (bytes > 0) yield* createInterface({ input: createReadStream(join(folder, name), { end: bytes - 1 }) })
}

const PRICE: Record<RecordFormat, RegExp> = {
  ndjson: /"tokenPrice","chainId":(\d+),"address":"(0x\w+)","at":"([^"]+)"/,
  csv: /^(\d+),(0x\w+),([^,]+),/,
}

/** The instants of which prices were exported of some tokens, each once; of those that were removed again too. */
export async function findPricedInstants(
  { path }: LockedFolder,
  { bytes, format }: CopyState,
  isSought: (token: string, at: string) => boolean,
) {
  const found = new Map<string, { token: string; at: string }>()
  for await (const line of linesOf(path, `prices.${format}`, bytes[`prices.${format}`] ?? 0)) {
    const [, chain, address, at = ''] = PRICE[format].exec(line) ?? []
    const token = `${chain}:${address}`
    if (isSought(token, at)) found.set(`${token} ${at}`, { token, at })
  }
  return [...found.values()]
}

/** Replaced as a whole, once all that it speaks of is on the disk. */
export async function writeState({ path, ensureLocked }: LockedFolder, state: CopyState) {
  ensureLocked()
  await replaceFile(join(path, STATE), `${JSON.stringify(state, null, 2)}\n`, ensureLocked)
}

/**
 * Works on a folder, which is made where it is missing, as its only process.
 * @throws ExportFolderError
 */
export async function lockFolder(path: string, work: (folder: LockedFolder) => Promise<void>) {
  await mkdir(path, { recursive: true })
  const refusals = {
    inUse: new ExportFolderError(`${path} is in use by another process`),
    toUnwritable: (code: string) => new ExportFolderError(`${path} cannot be written (${code})`),
  }
  await withExclusiveLock(join(path, 'lock'), refusals, (ensureLocked) => work({ path, ensureLocked }))
}

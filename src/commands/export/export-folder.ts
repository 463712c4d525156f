import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Static, Type } from '@sinclair/typebox'
import { lock } from 'proper-lockfile'
import { recordKinds } from '../../database/exported-records/record-columns.ts'
import type { RecordFormat } from '../../database/exported-records/record-sql.ts'
import { OperatorError } from '../../operator-error.ts'
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

/** The state of a folder, which is an export's from now on. @throws ExportFolderError */
export async function openState(folder: string, format: RecordFormat): Promise<CopyState> {
  const text = await readFile(join(folder, STATE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new ExportFolderError(`${join(folder, STATE)} cannot be read: ${error.message}`)
  })
  if (text === undefined) return beginState(folder, format)
  const state = parseState(text)
  if (state === undefined) {
    throw new ExportFolderError(`${join(folder, STATE)} is damaged: export to another folder`)
  }
  if (state.format !== format) {
    throw new ExportFolderError(`${folder} has an export as ${state.format}: export ${format} to another folder`)
  }
  await discardUnfinished(folder, state)
  return state
}

const namesOf = (format: RecordFormat) => [...recordKinds.map((kind) => `${kind}.${format}`), REMOVALS]

/** Removes what was being written when the process was killed, or the database went away: what changed may have changed back since. */
export async function discardUnfinished(folder: string, { format, bytes }: CopyState) {
  const present = await readdir(folder)
  for (const name of namesOf(format)) {
    if (!present.includes(name)) continue
    const path = join(folder, name)
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

async function beginState(folder: string, format: RecordFormat) {
  const names = namesOf(format)
  const foreign = (await readdir(folder)).find((name) => names.includes(name))
  if (foreign !== undefined) {
    throw new ExportFolderError(`${folder} has a ${foreign} that no export wrote: export to another folder`)
  }
  const state: CopyState = { format, cursor: '', bytes: {}, pricedTo: {} }
  await writeState(folder, state)
  return state
}

/** Writes all that comes to the end of a file, from `start` on. @returns the bytes of the file. */
export async function appendTo(folder: string, name: string, start: number, chunks: AsyncIterable<Buffer>) {
  const file = await open(join(folder, name), start === 0 ? 'w' : 'r+')
  try {
    const { size } = await file.stat()
    if (size < start)
      throw new ExportFolderError(`${join(folder, name)} is shorter than it was: export to another folder`)
    await file.truncate(start)
    let position = start
    for await (const chunk of chunks) {
      await file.write(chunk, 0, chunk.length, position)
      position += chunk.length
    }
    await file.sync()
    return position
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
  folder: string,
  { bytes, format }: CopyState,
  isSought: (token: string, at: string) => boolean,
) {
  const found = new Map<string, { token: string; at: string }>()
  for await (const line of linesOf(folder, `prices.${format}`, bytes[`prices.${format}`] ?? 0)) {
    const [, chain, address, at = ''] = PRICE[format].exec(line) ?? []
    const token = `${chain}:${address}`
    if (isSought(token, at)) found.set(`${token} ${at}`, { token, at })
  }
  return [...found.values()]
}

/** Replaced as a whole, once all that it speaks of is on the disk. */
export async function writeState(folder: string, state: CopyState) {
  const file = await open(join(folder, `${STATE}.new`), 'w')
  await file.writeFile(`${JSON.stringify(state, null, 2)}\n`)
  await file.sync()
  await file.close()
  await rename(join(folder, `${STATE}.new`), join(folder, STATE))
}

/** After this time the lock of a process that was killed does not count any more; a process that starts waits for longer. */
const STALE_MS = 3000
const LOCK_RETRIES = { retries: 9, minTimeout: 500, factor: 1 }

/**
 * Works on a folder, which is made where it is missing, as its only process.
 * @param work gets a check that it still is: a machine may sleep.
 * @throws ExportFolderError
 */
export async function lockFolder(folder: string, work: (ensureLocked: () => void) => Promise<void>) {
  await mkdir(folder, { recursive: true })
  const inUse = new ExportFolderError(`${folder} is in use by another process`)
  let isLost = false
  const release = await lock(folder, {
    ...{ lockfilePath: join(folder, 'lock'), stale: STALE_MS, update: STALE_MS / 3, retries: LOCK_RETRIES },
    onCompromised: () => {
      isLost = true
    },
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOCKED' ? inUse : error
  })
  try {
    await work(() => {
      if (isLost) throw inUse
    })
  } finally {
    if (!isLost) await release()
  }
}

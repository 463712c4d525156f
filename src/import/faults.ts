/** Faults that are told one by one; of the others only their number is. */
export const MOST_TOLD = 20

/** Something wrong with one record. */
export interface Fault {
  file: string
  line: number
  /** JSON pointer to the value, empty for the whole record. */
  pointer: string
  message: string
}

/** Collects faults in bounded memory: the first ones, and the number of all. */
export class Faults {
  readonly told: Fault[] = []
  count = 0

  add({ file, line, pointer, message }: Fault) {
    this.count += 1
    if (this.told.length < MOST_TOLD) this.told.push({ file, line, pointer: shorten(pointer), message: copy(message) })
  }
}

/** A key may be as long as its line. */
const shorten = (pointer: string) => copy(pointer.length > 256 ? `${pointer.slice(0, 255)}…` : pointer)

/** A part of a text keeps all of it in memory; a copy does not. */
const copy = (text: string) => Buffer.from(text).toString()

/** Input that was refused; nothing of it was written. The message has a line for each of the first faults. */
export class ImportFaultsError extends Error {
  override readonly name = 'ImportFaultsError'
  readonly faults: Faults

  constructor(faults: Faults) {
    const lines = faults.told.map(
      ({ file, line, pointer, message }) => `${file}:${line}: ${pointer || '/'}: ${message}`,
    )
    if (faults.count > lines.length) lines.push(`… and ${faults.count - lines.length} more`)
    super([...lines, `${faults.count} ${faults.count === 1 ? 'fault' : 'faults'}; nothing was imported`].join('\n'))
    this.faults = faults
  }
}

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

  add(fault: Fault) {
    this.count += 1
    if (this.told.length < MOST_TOLD) this.told.push(fault)
  }
}

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

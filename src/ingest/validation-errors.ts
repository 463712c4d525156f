import { OperatorError } from '../operator-error.ts'
import { truncate } from '../schemas/texts.ts'

/** Number of faults that are listed; the rest is counted. */
export const MAX_REPORTED = 20

/** A fault of one record. */
export interface Fault {
  file: string
  line: number
  /** JSON pointer to the value, empty for the whole record. */
  pointer: string
  message: string
}

/** Collects faults in bounded memory: the first ones, and the number of all. */
export class ValidationErrors {
  readonly reported: Fault[] = []
  count = 0
  /** References are checked when each record is right by itself: what refers to a faulty one is no fault. */
  referencesChecked = false

  add({ file, line, pointer, message }: Fault) {
    this.count += 1
    if (this.reported.length >= MAX_REPORTED) return
    this.reported.push({ file, line, pointer: toPlainText(shorten(pointer)), message: toPlainText(message) })
  }
}

/** A key may be as long as its line. */
const shorten = (pointer: string) => truncate(pointer, 255)

/**
 * A copy, since a substring keeps the whole text in memory; without characters that control a terminal, or change the
 * direction of text.
 */
export const toPlainText = (text: string) =>
  Buffer.from(text)
    .toString()
    .replace(
      /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )

/** Input that was refused; nothing of it was written. The message has a line for each of the first faults. */
export class ImportFaultsError extends OperatorError {
  override readonly name = 'ImportFaultsError'
  readonly faults: ValidationErrors

  constructor(faults: ValidationErrors) {
    const lines = faults.reported.map(
      ({ file, line, pointer, message }) => `${toPlainText(file)}:${line}: ${pointer || '/'}: ${message}`,
    )
    if (faults.count > lines.length) lines.push(`… and ${faults.count - lines.length} more`)
    const total = `${faults.count} ${faults.count === 1 ? 'fault' : 'faults'}`
    const unchecked = faults.referencesChecked ? '' : ', references not checked'
    super([...lines, `${total}${unchecked}; nothing was imported`].join('\n'))
    this.faults = faults
  }
}

import { createHash } from 'node:crypto'

const CHECK_BYTES = 4

const checkOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest().subarray(0, CHECK_BYTES)

/** A cursor of these bytes. It ends with a check of them: one that was cut or changed on its way is found out, and means no other place. */
export const toCheckedText = (bytes: Buffer) => Buffer.concat([bytes, checkOf(bytes)]).toString('base64url')

/** The bytes of a cursor; undefined if it is none, or not as it was given. */
export function readCheckedText(text: string): Buffer | undefined {
  const all = Buffer.from(text, 'base64url')
  const bytes = all.subarray(0, -CHECK_BYTES)
  const isWhole = all.length > CHECK_BYTES && all.toString('base64url') === text
  return isWhole && all.subarray(-CHECK_BYTES).equals(checkOf(bytes)) ? bytes : undefined
}

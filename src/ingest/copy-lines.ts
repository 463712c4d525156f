import type { RecordType } from './records.ts'
import { columnsOf, type RecordOf, type Value } from './staged-columns.ts'

/** A record as a line of COPY's text format. */
export function toCopyLine<Type extends RecordType>(type: Type, record: RecordOf<Type>, place: number) {
  let text = String(place)
  for (const { toValue } of columnsOf(type)) text += `\t${toCopyValue(toValue(record))}`
  return `${text}\n`
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function toCopyValue(value: Value) {
  if (value === null || value === undefined) return '\\N'
  if (typeof value !== 'string') return String(value)
  return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character) : value
}

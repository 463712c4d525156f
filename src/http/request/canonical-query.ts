import { foldAscii } from '../../schemas/fold-ascii.ts'

/** What parameters ask, however they are written: equal questions are equal texts. No parameter can hold the NUL between them. */
export function toCanonicalQuery(parameters: Record<string, unknown>) {
  let text = ''
  for (const name of Object.keys(parameters).sort()) text += `\0${name}=${withoutOrder(parameters[name])}`
  return text
}

/** Of a list any entry may apply, and its entries are compared without case. */
const withoutOrder = (value: unknown) =>
  Array.isArray(value) ? value.map((entry) => foldAscii(String(entry))).sort() : value

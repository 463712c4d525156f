import { foldAscii } from '../../schemas/texts.ts'

/** Parameters in canonical form: equal requests have equal texts. No parameter can contain the NUL between them. */
export function toCanonicalQuery(parameters: Record<string, unknown>) {
  let text = ''
  for (const name of Object.keys(parameters).sort()) text += `\0${name}=${withoutOrder(parameters[name])}`
  return text
}

/** The entries of a list are alternatives, compared without case. */
const withoutOrder = (value: unknown) =>
  Array.isArray(value) ? value.map((entry) => foldAscii(String(entry))).sort() : value

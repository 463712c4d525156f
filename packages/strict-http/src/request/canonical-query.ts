/** Parameters in canonical form: equal requests have equal texts. No parameter can contain the NUL between them. */
export function toCanonicalQuery(parameters: Record<string, unknown>) {
  let text = ''
  for (const name of Object.keys(parameters).sort()) text += `\0${name}=${withoutOrder(parameters[name])}`
  return text
}

/** The entries of a list are alternatives, compared without case. */
const withoutOrder = (value: unknown) =>
  Array.isArray(value) ? value.map((entry) => foldAscii(String(entry))).sort() : value

/**
 * The canonical form of a text that is compared without case, for ASCII only. How other letters are
 * compared is for a database to decide, so texts with any of those are returned unchanged.
 */
export const foldAscii = (text: string) => (/^[\x20-\x7e]*$/.test(text) ? text.toLowerCase() : text)

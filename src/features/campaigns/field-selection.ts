/** The tokens of JSON that show its structure: strings, which may contain anything, and punctuation. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/g

/**
 * A JSON object with some of its members, unchanged and in their order. Reads the text once and parses no values:
 * placeholders in a document are kept.
 */
export function withFields(object: string, names: readonly string[]): string {
  const chosen: string[] = []
  let depth = 0
  let start = 0
  let key: string | undefined
  for (const { 0: token, index } of object.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (token !== ',' && depth === 1 && key === undefined) {
      key = token.slice(1, -1)
      start = index
    }
    const isEnd = (token === ',' && depth === 1) || depth === 0
    if (!isEnd || key === undefined) continue
    if (names.includes(key)) chosen.push(object.slice(start, index))
    key = undefined
  }
  return `{${chosen.join(',')}}`
}

/** What the structure of JSON shows in, at whatever depth: strings, which may hold anything, and punctuation. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/g

/**
 * A JSON object with some of its members, as they are written and in their order. Reads the text once and parses no values:
 * whatever stands in place of one, such as the marks of a document, is left as it is.
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

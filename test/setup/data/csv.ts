/**
 * The rows of a text by the grammar of RFC 4180, the header among them.
 * @throws Error if the text does not follow it.
 */
export function parseCsv(text: string) {
  const rows: string[][] = []
  let row: string[] = []
  let read = 0
  for (const [whole, field = '', end = ''] of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/gy)) {
    read += whole.length
    row.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  if (read < text.length) throw new Error(`not CSV from here on: ${JSON.stringify(text.slice(read, read + 100))}`)
  return rows
}

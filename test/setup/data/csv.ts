/** The rows of a text by the grammar of RFC 4180, the header among them. */
export function parseCsv(text: string) {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, field = '', end = ''] of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)) {
    row.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

/** One page of a statement as it was sent, and the cursor of the next. */
interface StatementPage {
  text: string
  nextCursor: string | null
}

/** The text of one page after the other; the header, which each of them has, comes once. */
export async function* iterateStatement(
  fetchPage: (cursor: { cursor?: string }) => Promise<StatementPage>,
): AsyncGenerator<string, void, void> {
  for (let cursor: { cursor?: string } = {}; ; ) {
    const { text, nextCursor } = await fetchPage(cursor)
    // Names of columns have no line break.
    yield cursor.cursor === undefined ? text : text.slice(text.indexOf('\n') + 1)
    if (nextCursor === null) return
    cursor = { cursor: nextCursor }
  }
}

/** The cursor of the page that the `Link` of a response calls the next. */
export function readNextCursor({ headers }: Response): string | null {
  const [, query = ''] = /<[^>]*?\?([^>]*)>; *rel="next"/.exec(headers.get('link') ?? '') ?? []
  return new URLSearchParams(query).get('cursor')
}

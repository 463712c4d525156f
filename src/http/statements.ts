import { setImmediate as nextTurn } from 'node:timers/promises'
import { stringify } from 'csv-stringify/sync'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary, prefersType } from 'reward-campaigns-strict-http/content/negotiation'
import { MAX_STATEMENT_ROWS, PAGE_SIZES } from '../schemas/parameters/shared-parameters.ts'

/*
 * A statement is a page of an operation as CSV, for people. It is made whole, of one state of the data, so that it is cached, compared and
 * waited for as its JSON is: 10,000 rows take about 3 MB. Where names and symbols are long, it has fewer rows.
 */

/** Characters of names and symbols in a statement. Anyone may deploy a token whose symbol has thousands. */
const MAX_STATEMENT_TEXT = 8_000_000

/** The parameters of an operation that also gives a statement. */
interface StatementParameters {
  pageSize?: number | null
  format?: 'json' | 'csv'
}

/** Before the query is checked, so that all its faults are found together: what `Accept` prefers, where no parameter says the format. */
export function readFormat(request: FastifyRequest, reply: FastifyReply, done: () => void) {
  addVary(reply, 'accept')
  const query: object = Object(request.query)
  if (!('format' in query) && prefersType(request.headers.accept, 'text/csv', 'application/json')) {
    request.query = { ...query, format: 'csv' }
  }
  done()
}

/** The query of a request, with the page size that counts. */
export function toStatementQuery<Query extends StatementParameters>(request: { query: Query }) {
  const { format, pageSize, ...others } = request.query
  const isCsv = format === 'csv'
  const query = {
    ...others,
    pageSize: pageSize ?? (isCsv ? MAX_STATEMENT_ROWS : PAGE_SIZES.usual),
    ...(isCsv && { format }),
  }
  // Links to other pages and the cache key are made of it.
  Object.assign(request, { query })
  return query
}

/** How many rows are written in one turn of the event loop. */
const ROWS_IN_A_TURN = 500

/** The text of a cell; null and undefined are empty. */
export type Cell = string | number | null | undefined

/** The query of a page, with as many of these rows as its statement has, by their texts: at least one. */
export function fitStatement<Query extends { pageSize: number; format?: 'json' | 'csv' }, Row>(
  query: Query,
  rows: readonly Row[],
  textsOf: (row: Row) => readonly (string | null | undefined)[],
): Query {
  if (query.format !== 'csv') return query
  let length = 0
  const end = rows.findIndex((row) => {
    for (const text of textsOf(row)) length += text?.length ?? 0
    return length > MAX_STATEMENT_TEXT
  })
  return end === -1 ? query : { ...query, pageSize: Math.min(query.pageSize, Math.max(end, 1)) }
}

/**
 * CSV by RFC 4180 with a header. A text that a spreadsheet would take for a formula is led by an apostrophe.
 * @param columns what stands in each, by name.
 */
export async function toCsv<Row>(columns: Record<string, (row: Row) => Cell>, rows: readonly Row[]): Promise<string> {
  const options = { record_delimiter: 'windows', quote_record_delimiter: true, escape_formulas: true } as const
  const cells = Object.values(columns)
  const parts = [stringify([Object.keys(columns)], options)]
  for (let start = 0; start < rows.length; start += ROWS_IN_A_TURN) {
    if (start > 0) await nextTurn()
    parts.push(
      stringify(
        rows.slice(start, start + ROWS_IN_A_TURN).map((row) => cells.map((cellOf) => cellOf(row))),
        options,
      ),
    )
  }
  return parts.join('')
}

/** A statement as a response: a download by this name, in which a colon becomes a hyphen. */
export const toStatement = (text: string, name: string) => ({
  text,
  type: 'text/csv; charset=utf-8; header=present',
  headers: { 'content-disposition': `attachment; filename="${name.replaceAll(':', '-')}.csv"` },
})

import { createHash } from 'node:crypto'
import { toCanonicalQuery } from 'reward-campaigns-strict-http/request/canonical-query'
import { InvalidParameterError } from 'reward-campaigns-strict-http/request/errors/errors'
import { readCheckedText, toCheckedText } from '../schemas/cursor-checks.ts'
import { DIGEST_BYTES } from '../schemas/parameters/shared-parameters.ts'
import { quote } from '../schemas/validator.ts'

/*
 * A cursor is a position in an order, with a digest of the query that defines the order. It is the same in every
 * process and never expires. It contains no secrets: a forged one shows nothing that pages do not show.
 */

/** These parameters do not define the order: which page, its size and format, what is explained beside it, and as of which block. */
const ASIDE = new Set(['cursor', 'page', 'pageSize', 'format', 'explain', 'claimTransactions', 'minBlock'])

const digestOf = (operation: string, parameters: object) => {
  const filter = Object.fromEntries(Object.entries(parameters).filter(([name]) => !ASIDE.has(name)))
  return createHash('sha256')
    .update(`${operation}${toCanonicalQuery(filter)}`)
    .digest()
    .subarray(0, DIGEST_BYTES)
}

/** The cursor of a position in the result of a query to an operation. */
export const toCursor = (operation: string, parameters: object, position: readonly (string | number)[]) =>
  toCheckedText(Buffer.concat([digestOf(operation, parameters), Buffer.from(position.join(' '))]))

/** How many rows to read for a page: one more shows whether there is a next page. */
export const rowsOf = (pageSize: number) => (pageSize === 0 ? 0 : pageSize + 1)

/** The page of what was found so, and the cursor of the next one. */
export function toCursorPage<Row>(
  operation: string,
  query: { pageSize: number },
  found: readonly Row[],
  positionOf: (last: Row) => readonly (string | number)[],
) {
  const page = found.slice(0, query.pageSize)
  const last = found.length > page.length ? page.at(-1) : undefined
  return { page, nextCursor: last === undefined ? null : toCursor(operation, query, positionOf(last)) }
}

/**
 * The position that a cursor stands for: what the groups of `form` find.
 * @throws InvalidParameterError where it is of another request, or no cursor at all.
 */
export function readCursor(cursor: string, operation: string, parameters: object, form: RegExp): string[] {
  const bytes = readCheckedText(cursor)
  const [, ...position] = form.exec(bytes?.subarray(DIGEST_BYTES).toString() ?? '') ?? []
  if (bytes === undefined || position.length === 0) {
    throw new InvalidParameterError('cursor', `cursor must be a cursor of this operation, got ${quote(cursor)}`)
  }
  if (!bytes.subarray(0, DIGEST_BYTES).equals(digestOf(operation, parameters))) {
    throw new InvalidParameterError(
      'cursor',
      'cursor is of a request with other parameters: send those, or begin without cursor',
    )
  }
  return position
}

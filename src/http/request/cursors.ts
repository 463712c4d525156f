import { createHash } from 'node:crypto'
import { quote } from '../../schemas/validation/validator.ts'
import { toCanonicalQuery } from './canonical-query.ts'
import { InvalidParameterError } from './errors/errors.ts'

/*
 * A cursor is a place in an order, with a digest of the question that the order is of. It is the same in every process
 * and for ever, since nothing secret is in it: anyone who makes one by hand learns nothing that pages do not show.
 */

const DIGEST_BYTES = 9

/** A parameter is no part of the question: which page, how long, and as of which block. */
const ASIDE = new Set(['cursor', 'page', 'pageSize', 'minBlock'])

const digestOf = (operation: string, parameters: object) => {
  const asked = Object.fromEntries(Object.entries(parameters).filter(([name]) => !ASIDE.has(name)))
  return createHash('sha256')
    .update(`${operation}${toCanonicalQuery(asked)}`)
    .digest()
    .subarray(0, DIGEST_BYTES)
}

/** The cursor of a place, in the response to a question: that of an operation with such parameters. */
export const toCursor = (operation: string, parameters: object, place: readonly (string | number)[]) =>
  Buffer.concat([digestOf(operation, parameters), Buffer.from(place.join(' '))]).toString('base64url')

/**
 * The place that a cursor stands for: what the groups of `form` find.
 * @throws InvalidParameterError where it is of another question, or none at all.
 */
export function readCursor(cursor: string, operation: string, parameters: object, form: RegExp): string[] {
  const bytes = Buffer.from(cursor, 'base64url')
  const [, ...place] = form.exec(bytes.subarray(DIGEST_BYTES).toString()) ?? []
  if (place.length === 0 || bytes.toString('base64url') !== cursor) {
    throw new InvalidParameterError('cursor', `cursor must be a nextCursor of this operation, got ${quote(cursor)}`)
  }
  if (!bytes.subarray(0, DIGEST_BYTES).equals(digestOf(operation, parameters))) {
    throw new InvalidParameterError(
      'cursor',
      'cursor is of a request with other parameters: only pageSize, minBlock and the order of lists may change',
    )
  }
  return place
}

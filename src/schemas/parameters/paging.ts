import { Type } from '@sinclair/typebox'
import { MAX_SAFE_INTEGER } from '../primitives.ts'
import { integerWithDefault } from './query-values.ts'

/** Parameters of operations with numbered pages. */
export const paging = {
  page: integerWithDefault({
    maximum: MAX_SAFE_INTEGER,
    default: 1,
    example: 1,
    description: 'Number of the page, from 1 (0 is the same). A page past the end is empty.',
  }),
  pageSize: integerWithDefault({
    maximum: 100,
    default: 10,
    example: 10,
    description: 'Number of items per page. With 0 the array is empty.',
  }),
}

/** Maximum length of a cursor. */
const MAX_CURSOR = 512

/** The digest of a query, with which each cursor begins. */
export const DIGEST_BYTES = 9

/** Whether a text may be a cursor: of which operation and parameters is for these to find out. */
export const isCursor = (text: string) => {
  const bytes = Buffer.from(text, 'base64url')
  const isPlace = /^\d+ [\x20-\x7e]+$/.test(bytes.toString('latin1', DIGEST_BYTES))
  return text === WALK_START || (isPlace && bytes.toString('base64url') === text)
}

const cursor = (description: string, extra: object = {}) =>
  Type.Optional(
    Type.String({
      format: 'cursor',
      maxLength: MAX_CURSOR,
      description,
      'x-expected': 'a cursor of this operation',
      ...extra,
    }),
  )

/** Parameters of operations with cursors. */
export const cursorPaging = {
  cursor: cursor('`nextCursor` of the page before, with the same parameters except `pageSize`.'),
  pageSize: paging.pageSize,
}

/** Begins a walk. */
export const WALK_START = 'start'

/** The parameter of operations with numbered pages that also offer walks. */
export const walking = {
  cursor: cursor(
    `\`${WALK_START}\` begins a walk, in which each item comes once, whatever changes; then \`nextCursor\` of the page before, with the same parameters except \`pageSize\`. Not with \`page\`.`,
    { 'x-expected': `${WALK_START} or a cursor of this operation`, 'x-not-with': 'page' },
  ),
}

/** The cursor of the next page. */
export const nextCursor = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  maxLength: MAX_CURSOR,
  description: '`cursor` of the next page; `null` on the last and with `pageSize=0`.',
})

/** The rows of a page. Page 0 and page 1 are the same. */
export const toRows = ({ page, pageSize }: { page: number; pageSize: number }) => ({
  limit: pageSize,
  offset: BigInt(Math.max(page, 1) - 1) * BigInt(pageSize),
})

import { type Static, Type } from '@sinclair/typebox'
import { readCheckedText } from '../cursor-checks.ts'
import { CampaignId, ChainId, Instant, MAX_SAFE_INTEGER } from '../primitives.ts'
import { inline, optional, ref } from '../schema-builders.ts'
import { parameterExamples } from './parameter-examples.ts'
import { commaSeparated, integerWithDefault, optionalChoice, optionalInteger } from './query-values.ts'

/** Items on a page where a request does not say how many, and at most. */
export const PAGE_SIZES = { usual: 10, maximum: 100 }

/** Parameters of operations with numbered pages. */
export const paging = {
  page: integerWithDefault({
    maximum: MAX_SAFE_INTEGER,
    default: 1,
    example: 1,
    description: 'Number of the page, from 1 (0 is the same). A page past the end is empty.',
  }),
  pageSize: integerWithDefault({
    maximum: PAGE_SIZES.maximum,
    default: PAGE_SIZES.usual,
    example: 10,
    description: 'Number of items per page. With 0 the array is empty.',
  }),
}

/** Maximum number of intervals of a range of time: of activity, and of a series of prices. */
export const MAX_INTERVALS = 400

/** Maximum length of a cursor. */
const MAX_CURSOR = 512

/** The digest of a query, with which each cursor begins. */
export const DIGEST_BYTES = 9

/** Whether a text may be a cursor: of which operation and parameters is for these to find out. */
export const isCursor = (text: string) => {
  const bytes = readCheckedText(text)
  return text === WALK_START || /^\d+ [\x20-\x7e]+$/.test(bytes?.toString('latin1', DIGEST_BYTES) ?? '')
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

/** Maximum number of rows of a statement. */
export const MAX_STATEMENT_ROWS = 10_000

/** Parameters of operations that also give a statement, in CSV; `http/statements.ts` reads them. */
export const statementPaging = {
  ...cursorPaging,
  pageSize: {
    ...optionalInteger({
      maximum: MAX_STATEMENT_ROWS,
      default: PAGE_SIZES.usual,
      example: 10,
      description: `Number of items per page, at most ${PAGE_SIZES.maximum}, by default ${PAGE_SIZES.usual}. With 0 the array is empty. In CSV at most ${MAX_STATEMENT_ROWS}, which is the default there.`,
    }),
    'x-default-later': true,
    'x-json-maximum': PAGE_SIZES.maximum,
    'x-expected': `an integer from 0 to ${PAGE_SIZES.maximum}, or to ${MAX_STATEMENT_ROWS} with format=csv`,
  },
  format: optionalChoice(['json', 'csv'], {
    example: 'json',
    description:
      '`csv`: a statement for spreadsheets (RFC 4180), as a download. Text that a spreadsheet would take for a formula is led by an apostrophe. Absent: what `Accept` prefers, JSON or `text/csv`.',
  }),
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

/** Maximum number of campaigns that a request may name. */
export const MAX_CAMPAIGNS = 50

export const campaignIds = (description: string) =>
  commaSeparated(ref(CampaignId), { max: MAX_CAMPAIGNS, description, example: parameterExamples.campaignId })

export const chainIds = (description = 'Only of these chains.') =>
  commaSeparated(inline(ChainId, { description: 'A chain ID.' }), { description, example: parameterExamples.chainId })

const MinimumBlock = Type.String({
  pattern: '^(0|[1-9][0-9]{0,15}):(0|[1-9][0-9]{0,14})$',
  format: 'chain-first',
  description: 'A chain ID and a block number.',
  'x-expected': '<chainId>:<block>',
})

/** The parameter of operations that can wait for a block. */
export const minimumBlocks = {
  minBlock: commaSeparated(MinimumBlock, {
    max: 10,
    example: parameterExamples.minimumBlock,
    description:
      'Oldest acceptable block `<chainId>:<block>` of indexed chains (see `/status`), such as that of your transaction. The request waits up to 2 seconds for it, then returns 503 with `Retry-After: 1`. Of several blocks of a chain the highest counts.',
  }),
}

export type MinimumBlocks = Static<typeof minimumBlocks.minBlock>

/** Parameters that select block timestamps in a range. */
export const timeRange = {
  since: optional(Instant, { description: 'Only what is of this instant or later.', example: '2025-01-01T00:00:00Z' }),
  until: optional(Instant, { description: 'Only what is earlier than this instant.', example: '2100-01-01T00:00:00Z' }),
}

const series = ['since', 'until', 'interval'] as const

/** Each of `since`, `until` and `interval` requires the other two: together they select a series. */
export const seriesDependencies = Object.fromEntries(
  series.map((name) => [name, series.filter((other) => other !== name)]),
)

/** The first whole second at or after an instant: block timestamps have no fractions. */
export function toSecondFrom(instant: string) {
  const whole = Date.parse(`${instant.slice(0, 19)}Z`) / 1000
  return /\.0*[1-9]/.test(instant) ? whole + 1 : whole
}

import { MAX_SAFE_INTEGER } from './primitives.ts'
import { integerWithDefault } from './query-values.ts'

/** Page parameters of the operations that are read page by page. */
export const paging = {
  page: integerWithDefault({
    maximum: MAX_SAFE_INTEGER,
    default: 1,
    example: 1,
    description: 'Number of the page, from 1; 0 is the first page too. A page past the end is empty.',
  }),
  pageSize: integerWithDefault({
    maximum: 100,
    default: 10,
    example: 10,
    description: 'Number of items per page, at most 100. With 0 the array is empty.',
  }),
}

/** The rows a page stands for. Page 0 and page 1 are the same. */
export const toRows = ({ page, pageSize }: { page: number; pageSize: number }) => ({
  limit: pageSize,
  offset: BigInt(Math.max(page, 1) - 1) * BigInt(pageSize),
})

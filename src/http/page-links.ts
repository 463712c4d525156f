import type { FastifyRequest } from 'fastify'

/** What a repository returns about other pages. */
export interface Paged {
  /** Items on all pages; sent as the header `x-total-count`. */
  totalCount?: number | undefined
  /** The cursor of the next page; null if there is none. */
  nextCursor?: string | null | undefined
}

/** Some clients and proxies refuse longer headers. */
const MAX_LINK_BYTES = 8000

/** A response is cached without `minBlock`, so its links get it when the response is sent. */
const ASIDE = new Set(['page', 'cursor', 'after', 'pageSize', 'minBlock'])

/** Values are encoded only as far as necessary: separators stay readable. */
const encode = (value: unknown) => encodeURIComponent(String(value)).replaceAll('%2C', ',').replaceAll('%3A', ':')

/**
 * The links of a page to others, for the header `Link` (RFC 8288): `next` for pages with cursors; `first`, `prev`,
 * `next` and `last` for numbered ones. Relative to the request, so that they are right behind any proxy; without
 * parameters that have their defaults. Undefined if there are none, or they would be too long.
 */
export function toPageLinks({ query, routeOptions }: FastifyRequest, { totalCount, nextCursor }: Paged) {
  const { page, pageSize, ...filter } = Object(query)
  if (pageSize === 0) return undefined
  const { properties = {} } = Object(routeOptions.schema?.querystring)
  const cursor = 'after' in properties ? 'after' : 'cursor'
  const targets = nextCursor === undefined ? toNumbers(page, pageSize, totalCount) : toNext(cursor, nextCursor)
  const parameters = Object.keys(properties)
    .filter((name) => !ASIDE.has(name) && filter[name] !== undefined && filter[name] !== properties[name].default)
    .map((name) => `${name}=${encode(filter[name])}&`)
    .join('')
  const links = targets.map(([relation, target]) => `<?${parameters}${target}&pageSize=${pageSize}>; rel="${relation}"`)
  return withinLimit(links.join(', '))
}

/** The same links with `minBlock`. */
export const withMinimumBlocks = (links: string, minBlock: unknown) =>
  withinLimit(links.replaceAll('>;', `&minBlock=${encode(minBlock)}>;`))

const withinLimit = (links: string) => (links === '' || links.length > MAX_LINK_BYTES ? undefined : links)

const toNext = (parameter: string, nextCursor: string | null): string[][] =>
  nextCursor === null ? [] : [['next', `${parameter}=${nextCursor}`]]

/** After the last page, the previous page is the last one. */
function toNumbers(page: number | undefined, pageSize: number, total: number | undefined): string[][] {
  if (page === undefined || total === undefined) return []
  const last = Math.max(1, Math.ceil(total / pageSize))
  const [previous, next] = [Math.min(page - 1, last), page === 0 ? 2 : page + 1]
  return [
    ['first', 'page=1'],
    ...(previous >= 1 ? [['prev', `page=${previous}`]] : []),
    ...(next <= last ? [['next', `page=${next}`]] : []),
    ['last', `page=${last}`],
  ]
}

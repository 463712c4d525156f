import type { FastifyRequest } from 'fastify'

/** What a response says of the other pages. */
export interface Paged {
  /** Items on all pages; becomes the header `x-total-count`. */
  totalCount?: number | undefined
  /** Where the next page goes on; null where there is none. */
  nextCursor?: string | null | undefined
}

/** Longer ones would not pass everything on their way. */
const MAX_LINK_BYTES = 8000

/** As which block is a matter of the request, and where it is, of the link. */
const ASIDE = new Set(['page', 'cursor', 'pageSize', 'minBlock'])

/** The texts of values need no more than this: what separates entries, and their parts, stays readable. */
const encode = (value: unknown) => encodeURIComponent(String(value)).replaceAll('%2C', ',').replaceAll('%3A', ':')

/**
 * The links of a page to others, for the header `Link` (RFC 8288): `next` where pages go on from each other by cursors; `first`,
 * `prev`, `next` and `last` where they have numbers. Relative to what was asked, so that they are right behind any proxy;
 * without parameters that have their defaults. Undefined where there is none, or they would be too long.
 */
export function toPageLinks({ query, routeOptions }: FastifyRequest, { totalCount, nextCursor }: Paged) {
  const { page, pageSize, ...asked } = Object(query)
  if (pageSize === 0) return undefined
  const places = nextCursor === undefined ? toNumbers(page, pageSize, totalCount) : toNext(nextCursor)
  const { properties = {} } = Object(routeOptions.schema?.querystring)
  const kept = Object.keys(properties)
    .filter((name) => !ASIDE.has(name) && asked[name] !== undefined && asked[name] !== properties[name].default)
    .map((name) => `${name}=${encode(asked[name])}&`)
    .join('')
  const links = places.map(([relation, place]) => `<?${kept}${place}&pageSize=${pageSize}>; rel="${relation}"`)
  return withinLimit(links.join(', '))
}

/** The same links, also as of some blocks. */
export const withMinimumBlocks = (links: string, minBlock: unknown) =>
  withinLimit(links.replaceAll('>;', `&minBlock=${encode(minBlock)}>;`))

const withinLimit = (links: string) => (links === '' || links.length > MAX_LINK_BYTES ? undefined : links)

const toNext = (nextCursor: string | null): string[][] =>
  nextCursor === null ? [] : [['next', `cursor=${nextCursor}`]]

/** Of a page past the end, the one before is the last. */
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

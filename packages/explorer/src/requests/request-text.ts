import type { Client } from 'reward-campaigns-client'

/** What a query may hold; what is absent is not asked. */
type RequestQuery = Readonly<
  Record<string, string | number | boolean | readonly (string | number)[] | null | undefined>
>

/** A request that a page has made. */
export interface RequestMade {
  /** Method of the client that makes it. */
  method: keyof Client
  /** `/explore/contracts`. */
  path: string
  query?: RequestQuery
  /** What the method is given before the query: the ID of a campaign. */
  id?: string
}

/** Path and query, as the client asks for them. */
export function requestPath({ path, query = {} }: RequestMade): string {
  const parameters = known(query).map(([name, value]) => `${name}=${[value].flat().map(encode).join(',')}`)
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
}

/** The request as a command line. */
export const asCurl = (request: RequestMade, baseUrl: string) =>
  `curl '${(baseUrl + requestPath(request)).replaceAll("'", '%27')}'`

/** The request as a module that makes it. */
export function asClientCode({ method, id, query = {} }: RequestMade, baseUrl: string): string {
  const parameters = known(query).map(([name, value]) => `${name}: ${literal(value)}`)
  const given = [
    ...(id === undefined ? [] : [literal(id)]),
    ...(parameters.length === 0 ? [] : [`{ ${parameters.join(', ')} }`]),
  ]
  return [
    "import { createClient } from 'reward-campaigns-client'",
    '',
    `const client = createClient({ baseUrl: ${literal(baseUrl)} })`,
    `const response = await client.${method}(${given.join(', ')})`,
    'console.log(response)',
    '',
  ].join('\n')
}

/** Colons and slashes are readable and allowed in a query. */
const encode = (value: unknown) => encodeURIComponent(String(value)).replaceAll('%3A', ':').replaceAll('%2F', '/')

const known = (query: RequestQuery) =>
  Object.entries(query).filter(([, value]) => value !== undefined && value !== null)

/** As it is written in code, in single quotes. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'string') return String(value)
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

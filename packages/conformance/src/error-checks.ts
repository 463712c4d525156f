import { type Operation, toJson } from './contract.ts'
import type { HttpClient, HttpResponse } from './http-client.ts'
import type { Target } from './targets.ts'

/** Breaks the rule of every parameter: it is no number, no address, no listed value, and too long. */
const MALFORMED = 'x'.repeat(200)
const UNKNOWN_ID = `1:0x${'0'.repeat(39)}1:${'9'.repeat(70)}`

interface Refusal {
  path: string
  method?: string
  status: number
  /** What the sentence has to name. */
  names?: string
}

/** What is refused, is refused with its status and one sentence that names what is wrong. */
export async function findErrorViolations({ send }: HttpClient, targets: readonly Target[]): Promise<string[]> {
  const refusals: Refusal[] = [
    ...targets.flatMap(({ operation, path, urlOf }) => [
      { path: urlOf({ notAParameter: '1' }), status: 400, names: 'notAParameter' },
      { path, method: 'POST', status: 405 },
      ...operation.queryParameters.map(({ name }) => ({
        path: urlOf({ [name]: MALFORMED }),
        status: 400,
        names: name,
      })),
    ]),
    { path: `/campaigns/${UNKNOWN_ID}`, status: 404 },
    { path: '/campaigns/1:2:3', status: 400 },
    { path: '/campaigns/%zz', status: 400 },
    { path: '/campaigns?page=1&page=2', status: 400, names: 'page' },
    { path: '/no-such-path', status: 404 },
  ]
  const violations = await Promise.all(
    refusals.map(async ({ path, method = 'GET', status, names }) => {
      const response = await send(path, { method })
      const sentence = sentenceOf(response)
      const found = [
        ...(response.status === status ? [] : [`returns ${response.status} instead of ${status}`]),
        ...(sentence === undefined ? ['has another body than {"error": "…"}'] : []),
        ...(/^[a-z_]+$/.test(response.headers.get('x-error-code') ?? '') ? [] : ['has no x-error-code']),
        ...(names === undefined || sentence === undefined || sentence.includes(names)
          ? []
          : [`does not name ${names}`]),
        ...(status !== 405 || /\bGET\b/.test(response.headers.get('allow') ?? '') ? [] : ['has no Allow']),
      ]
      return found.map((violation) => `${method} ${path.slice(0, 80)} ${violation}`)
    }),
  )
  return violations.flat()
}

/** Undefined unless the body is one sentence under one key, as JSON. */
function sentenceOf({ text, headers }: HttpResponse): string | undefined {
  const body = toJson(text)
  if (typeof body !== 'object' || body === null || !/^application\/json/.test(headers.get('content-type') ?? ''))
    return undefined
  const [[key, value] = [], ...others] = Object.entries(body)
  return key === 'error' && typeof value === 'string' && others.length === 0 ? value : undefined
}

/** Stacks, statements, connection strings, files and errors of libraries. */
const INTERNAL =
  /\bat \S+ \(|:\d+:\d+\)|node_modules|\b(select|insert|update) .+ (from|into|set) |postgres(ql)?:\/\/|\/(usr|home|app|var|tmp|srv)\/|ECONN|SQLSTATE|TypeError/i

/** No failure that has been answered reveals internals. */
export function findDisclosureViolations({ responses }: HttpClient): string[] {
  return responses
    .filter(({ status, text }) => status >= 400 && INTERNAL.test(text))
    .map(({ path, status }) => `${path.slice(0, 80)}: the ${status} reveals internals`)
}

/** Nobody gets in without a token, and with one the response is as documented and kept by no cache. */
export async function findAuthViolations(
  { send }: HttpClient,
  operations: readonly Operation[],
  token: string | undefined,
): Promise<string[]> {
  const violations = await Promise.all(
    operations.map(async (operation) => {
      const { path } = operation
      const without = await send(path)
      const found =
        without.status === 401 && /^Bearer\b/.test(without.headers.get('www-authenticate') ?? '')
          ? []
          : [`${path} returns ${without.status} without a token, or has no WWW-Authenticate`]
      if (token === undefined) return found
      const response = await send(path, { headers: { authorization: `Bearer ${token}` } })
      // There may be no profile of the user, and an administrator has to name one.
      if (![200, 400, 404].includes(response.status)) found.push(`${path} returns ${response.status} with the token`)
      const cacheControl = response.headers.get('cache-control') ?? ''
      if (response.status === 200 && !cacheControl.includes('no-store')) found.push(`${path} may be cached`)
      return [...found, ...operation.faultsOf(response)]
    }),
  )
  return violations.flat()
}

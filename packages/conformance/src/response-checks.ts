import { requiredHeadersOf } from './contract.ts'
import type { HttpClient, HttpResponse } from './http-client.ts'
import { companionsOf, type Target } from './targets.ts'

/** Every operation answers, with a body as it is documented, also for each value that a parameter lists. */
export async function findBodyViolations({ send }: HttpClient, targets: readonly Target[]): Promise<string[]> {
  const requests = targets.flatMap(({ operation, path, urlOf }) => [
    { operation, path },
    ...operation.queryParameters.flatMap(({ name, schema }) =>
      (schema.enum ?? []).map((value) => ({
        operation,
        path: urlOf({ ...companionsOf(name), [name]: String(value) }),
      })),
    ),
  ])
  const violations = await Promise.all(
    requests.map(async ({ operation, path }) => {
      const response = await send(path)
      return response.status === 200 ? operation.faultsOf(response) : [`${path} returns ${response.status}`]
    }),
  )
  return violations.flat()
}

const ORIGIN = 'https://conformance.example'
const REQUEST_ID = 'conformance-1'

/** The headers that are documented are there, the caller's request ID comes back, and pages may read answers. */
export async function findHeaderViolations({ send }: HttpClient, targets: readonly Target[]): Promise<string[]> {
  const violations = await Promise.all(
    targets.map(async ({ operation, path }) => {
      const [response, own] = await Promise.all([
        send(path, { headers: { 'x-request-id': REQUEST_ID, origin: ORIGIN } }),
        send(path),
      ])
      const { headers } = response
      const origin = headers.get('access-control-allow-origin')
      return [
        ...requiredHeadersOf(operation)
          .filter((name) => !headers.has(name))
          .map((name) => `has no ${name}`),
        ...(headers.get('x-request-id') === REQUEST_ID ? [] : ['does not echo x-request-id']),
        ...(own.headers.get('x-request-id') === REQUEST_ID ? ['returns the x-request-id of another request'] : []),
        // Where only some origins may read answers, this one may not.
        ...(origin === null || origin === '*' ? [] : [`allows the origin ${origin}`]),
        ...(headers.has('access-control-expose-headers') ? [] : ['has no access-control-expose-headers']),
        ...(headers.has('x-powered-by') ? ['has x-powered-by'] : []),
      ].map((violation) => `${path} ${violation}`)
    }),
  )
  return violations.flat()
}

/** Who has a response is told so, and HEAD is GET without a body. */
export async function findConditionalViolations({ send }: HttpClient, targets: readonly Target[]): Promise<string[]> {
  const violations = await Promise.all(
    targets
      .filter(({ operation }) => operation.has('etag'))
      .map(async ({ path }) => {
        const { headers, status } = await send(path, { method: 'HEAD' })
        const tag = headers.get('etag') ?? ''
        const [same, other] = await Promise.all([
          send(path, { headers: { 'if-none-match': tag } }),
          send(path, { headers: { 'if-none-match': '"another"' } }),
        ])
        return [
          ...(status === 200 ? [] : [`returns ${status} to HEAD`]),
          // Unless it has changed meanwhile.
          ...(same.status === 304 || (same.status === 200 && same.headers.get('etag') !== tag)
            ? []
            : [`returns ${same.status} to a matching If-None-Match`]),
          ...(same.status === 304 && same.text !== '' ? ['has a body in a 304'] : []),
          ...(other.status === 200 ? [] : [`returns ${other.status} to another If-None-Match`]),
        ].map((violation) => `${path} ${violation}`)
      }),
  )
  return violations.flat()
}

/** The same tag is the same body, and the other way round; one question written in two ways has one response. */
export async function findEntityTagViolations({ send, responses }: HttpClient): Promise<string[]> {
  const spellings = ['', '?page=1', '?pageSize=10&page=1', '?sortBy=recently-deployed', '?page=0&tokenWhitelist=true']
  const received = await Promise.all(spellings.map((query) => send(`/campaigns${query}`)))
  const tagged = [...responses].filter(
    ({ status, headers, text }) => status === 200 && headers.has('etag') && text !== '',
  )
  const byPath = new Map<string, HttpResponse[]>()
  for (const response of tagged) byPath.set(response.path, [...(byPath.get(response.path) ?? []), response])
  const isOneToOne = (those: HttpResponse[]) => {
    const tags = new Set(those.map(({ headers }) => headers.get('etag')))
    const bodies = new Set(those.map(({ text }) => text))
    const pairs = new Set(those.map(({ headers, text }) => `${headers.get('etag')} ${text}`))
    return tags.size === pairs.size && bodies.size === pairs.size
  }
  return [
    ...[...byPath]
      .filter(([, those]) => !isOneToOne(those))
      .map(([path]) => `${path} has one entity tag for two bodies, or two for one`),
    ...received
      .filter(({ text }) => text !== received[0]?.text)
      .map(({ path }) => `${path} has another body than /campaigns, which is equivalent`),
  ]
}

const POLLS = 5

/** How far chains are only ever grows. */
export async function findFreshnessViolations({ send }: HttpClient): Promise<string[]> {
  const reached = new Map<string, number>()
  const violations: string[] = []
  for (let attempt = 0; attempt < POLLS; attempt += 1) {
    const { path, headers } = await send(attempt % 2 === 0 ? '/campaigns' : '/explore/contracts')
    for (const [, chainId = '', block = ''] of (headers.get('x-as-of') ?? '').matchAll(/(\d+):(\d+)/g)) {
      const before = reached.get(chainId) ?? 0
      if (Number(block) < before)
        violations.push(`${path} is of block ${block} of chain ${chainId}, after one of ${before}`)
      reached.set(chainId, Math.max(before, Number(block)))
    }
  }
  return violations
}

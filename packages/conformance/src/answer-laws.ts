import { type Operation, standingHeadersOf } from './contract.ts'
import { campaigns, readPage } from './listings.ts'
import type { Answer, Visitor } from './visitor.ts'

/** An operation with a path that leads somewhere. */
export interface Place {
  operation: Operation
  path: string
}

/** The public operations; those that need a campaign only where there is one. */
export async function findPlaces(visitor: Visitor, operations: readonly Operation[]): Promise<Place[]> {
  const { entries } = await readPage(visitor, campaigns)
  const id = entries[0]?.id
  return operations
    .filter(({ isProtected }) => !isProtected)
    .map((operation) => ({ operation, path: operation.path.replace('{id}', id ?? '{id}') }))
    .filter(({ path }) => !path.includes('{'))
}

/** Every operation answers, with a body as it is documented, also for each value that a parameter lists. */
export async function breachesOfAnswers({ ask }: Visitor, places: readonly Place[]): Promise<string[]> {
  const asked = places.flatMap(({ operation, path }) => [
    { operation, path },
    ...operation.queryParameters.flatMap(({ name, schema }) =>
      (schema.enum ?? []).map((value) => ({ operation, path: `${path}?${name}=${value}` })),
    ),
  ])
  const breaches = await Promise.all(
    asked.map(async ({ operation, path }) => {
      const answer = await ask(path)
      return answer.status === 200 ? operation.faultsOf(answer) : [`${path} returns ${answer.status}`]
    }),
  )
  return breaches.flat()
}

const ORIGIN = 'https://conformance.example'
const REQUEST_ID = 'conformance-1'

/** The headers that are documented are there, the caller's request ID comes back, and pages may read answers. */
export async function breachesOfHeaders({ ask }: Visitor, places: readonly Place[]): Promise<string[]> {
  const breaches = await Promise.all(
    places.map(async ({ operation, path }) => {
      const [answer, own] = await Promise.all([
        ask(path, { headers: { 'x-request-id': REQUEST_ID, origin: ORIGIN } }),
        ask(path),
      ])
      const { headers } = answer
      const origin = headers.get('access-control-allow-origin')
      return [
        ...standingHeadersOf(operation)
          .filter((name) => !headers.has(name))
          .map((name) => `has no ${name}`),
        ...(headers.get('x-request-id') === REQUEST_ID ? [] : ['does not echo x-request-id']),
        ...(own.headers.get('x-request-id') === REQUEST_ID ? ['returns the x-request-id of another request'] : []),
        // Where only some origins may read answers, this one may not.
        ...(origin === null || origin === '*' ? [] : [`allows the origin ${origin}`]),
        ...(headers.has('access-control-expose-headers') ? [] : ['has no access-control-expose-headers']),
        ...(headers.has('x-powered-by') ? ['has x-powered-by'] : []),
      ].map((breach) => `${path} ${breach}`)
    }),
  )
  return breaches.flat()
}

/** Who has an answer is told so, and HEAD is GET without a body. */
export async function breachesOfConditions({ ask }: Visitor, places: readonly Place[]): Promise<string[]> {
  const breaches = await Promise.all(
    places
      .filter(({ operation }) => operation.has('etag'))
      .map(async ({ path }) => {
        const { headers, status } = await ask(path, { method: 'HEAD' })
        const tag = headers.get('etag') ?? ''
        const [same, other] = await Promise.all([
          ask(path, { headers: { 'if-none-match': tag } }),
          ask(path, { headers: { 'if-none-match': '"another"' } }),
        ])
        return [
          ...(status === 200 ? [] : [`returns ${status} to HEAD`]),
          // Unless it has changed meanwhile.
          ...(same.status === 304 || (same.status === 200 && same.headers.get('etag') !== tag)
            ? []
            : [`returns ${same.status} to a matching If-None-Match`]),
          ...(same.status === 304 && same.text !== '' ? ['has a body in a 304'] : []),
          ...(other.status === 200 ? [] : [`returns ${other.status} to another If-None-Match`]),
        ].map((breach) => `${path} ${breach}`)
      }),
  )
  return breaches.flat()
}

/** The same tag is the same body, and the other way round; one question written in two ways has one answer. */
export async function breachesOfTags({ ask, answers }: Visitor): Promise<string[]> {
  const spellings = ['', '?page=1', '?pageSize=10&page=1', '?sortBy=recently-deployed', '?page=0&tokenWhitelist=true']
  const asked = await Promise.all(spellings.map((query) => ask(`/campaigns${query}`)))
  const tagged = [...answers].filter(
    ({ status, headers, text }) => status === 200 && headers.has('etag') && text !== '',
  )
  const byPath = new Map<string, Answer[]>()
  for (const answer of tagged) byPath.set(answer.path, [...(byPath.get(answer.path) ?? []), answer])
  const isOneToOne = (those: Answer[]) => {
    const tags = new Set(those.map(({ headers }) => headers.get('etag')))
    const bodies = new Set(those.map(({ text }) => text))
    const pairs = new Set(those.map(({ headers, text }) => `${headers.get('etag')} ${text}`))
    return tags.size === pairs.size && bodies.size === pairs.size
  }
  return [
    ...[...byPath]
      .filter(([, those]) => !isOneToOne(those))
      .map(([path]) => `${path} has one entity tag for two bodies, or two for one`),
    ...asked
      .filter(({ text }) => text !== asked[0]?.text)
      .map(({ path }) => `${path} has another body than /campaigns, which is equivalent`),
  ]
}

const LOOKS = 5

/** How far chains are only ever grows. */
export async function breachesOfFreshness({ ask }: Visitor): Promise<string[]> {
  const reached = new Map<string, number>()
  const breaches: string[] = []
  for (let look = 0; look < LOOKS; look += 1) {
    const { path, headers } = await ask(look % 2 === 0 ? '/campaigns' : '/explore/contracts')
    for (const [, chainId = '', block = ''] of (headers.get('x-as-of') ?? '').matchAll(/(\d+):(\d+)/g)) {
      const before = reached.get(chainId) ?? 0
      if (Number(block) < before)
        breaches.push(`${path} is of block ${block} of chain ${chainId}, after one of ${before}`)
      reached.set(chainId, Math.max(before, Number(block)))
    }
  }
  return breaches
}

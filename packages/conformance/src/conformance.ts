import {
  breachesOfAnswers,
  breachesOfConditions,
  breachesOfFreshness,
  breachesOfHeaders,
  breachesOfTags,
  findPlaces,
  type Place,
} from './answer-laws.ts'
import { type Operation, readContract } from './contract.ts'
import { breachesOfDiscretion, breachesOfErrors, breachesOfProtection } from './error-laws.ts'
import { breachesOfFilters, breachesOfPaging } from './list-laws.ts'
import { createVisitor, EndOfVisitError, NoAnswerError, type VisitBounds, type Visitor } from './visitor.ts'

export interface Conformance {
  baseUrl: string
  /** Of a user, for the protected operations; without one only that they ask for it. */
  token?: string | undefined
  bounds?: VisitBounds
}

/** How a promise stands, or whether it could be looked at; what was found, in a sentence, and what to do about it. */
interface Finding {
  state: 'ok' | 'warning' | 'failed'
  found: string
  advice: string | null
}

/** The finding about one of the promises, by its name. */
export interface CheckedFinding extends Finding {
  check: string
}

const ok = (found: string): Finding => ({ state: 'ok', found, advice: null })
const failed = (found: string, advice: string): Finding => ({ state: 'failed', found, advice })

const BOUNDS: VisitBounds = { mostRequests: 300, mostAtOnce: 4, timeoutMs: 55_000 }

/** The data may change between two answers: what is broken so often in a row is broken. */
const ATTEMPTS = 3

const MOST_NAMED = 3
const ADVICE = 'compare with the documentation of this version, and check the proxies in between'

interface Law {
  name: string
  /** What is so where there is no breach. */
  promise: string
  /** Whether it may only seem to be broken, since data changed meanwhile. */
  isAboutData?: boolean
  breaches: () => Promise<string[]> | string[]
}

/** Asks a deployment as anybody may, and says which of its promises it keeps. Takes a minute at most. */
export async function examineDeployment({ baseUrl, token, bounds = BOUNDS }: Conformance): Promise<CheckedFinding[]> {
  const visitor = createVisitor(baseUrl, bounds)
  const opened = await open(visitor)
  if ('state' in opened) return [{ check: 'document', ...opened }]
  const { operations, places } = opened
  const findings: CheckedFinding[] = [
    { check: 'document', ...ok(`/openapi.json describes ${operations.length} operations`) },
  ]
  const guarded = operations.filter(({ isProtected }) => isProtected)
  const laws: Law[] = [
    {
      name: 'bodies',
      promise: 'bodies match the documented schemas',
      breaches: () => breachesOfAnswers(visitor, places),
    },
    { name: 'headers', promise: 'documented headers are present', breaches: () => breachesOfHeaders(visitor, places) },
    {
      name: 'conditional-requests',
      promise: 'a matching If-None-Match gets 304',
      breaches: () => breachesOfConditions(visitor, places),
    },
    {
      name: 'paging',
      promise: 'pages of all sizes agree with their totals',
      isAboutData: true,
      breaches: () => breachesOfPaging(visitor),
    },
    {
      name: 'filters',
      promise: 'filters return only what matches',
      isAboutData: true,
      breaches: () => breachesOfFilters(visitor),
    },
    { name: 'errors', promise: 'errors name what is wrong', breaches: () => breachesOfErrors(visitor, places) },
    {
      name: 'authentication',
      promise:
        token === undefined
          ? 'protected operations require a token; none was given to check with'
          : 'protected operations require and accept the token',
      breaches: () => breachesOfProtection(visitor, guarded, token),
    },
    {
      name: 'entity-tags',
      promise: 'entity tags change with bodies',
      isAboutData: true,
      breaches: () => breachesOfTags(visitor),
    },
    {
      name: 'freshness',
      promise: 'as-of blocks never go back',
      breaches: () => breachesOfFreshness(visitor),
    },
    { name: 'documentation', promise: 'documentation is served', breaches: () => breachesOfDocumentation(visitor) },
    { name: 'disclosure', promise: 'errors reveal no internals', breaches: () => breachesOfDiscretion(visitor) },
  ]
  for (const law of laws) findings.push({ check: law.name, ...(await judge(law)) })
  return findings
}

async function judge({ promise, breaches, isAboutData = false }: Law): Promise<Finding> {
  try {
    let found = await breaches()
    for (let attempt = 1; found.length > 0 && isAboutData && attempt < ATTEMPTS; attempt += 1) found = await breaches()
    if (found.length === 0) return ok(promise)
    const rest = found.length > MOST_NAMED ? `; and ${found.length - MOST_NAMED} more` : ''
    return failed(`${found.slice(0, MOST_NAMED).join('; ')}${rest}`, ADVICE)
  } catch (error) {
    return toFinding(error)
  }
}

/** What there is to ask for. */
async function open(visitor: Visitor): Promise<{ operations: Operation[]; places: Place[] } | Finding> {
  try {
    const { status, text } = await visitor.ask('/openapi.json')
    if (status !== 200) return failed(`/openapi.json returns ${status}`, 'check that the URL is right')
    const operations = readContract(text)
    if (operations.length === 0) return failed('/openapi.json has no operations', ADVICE)
    return { operations, places: await findPlaces(visitor, operations) }
  } catch (error) {
    if (error instanceof SyntaxError) return failed('/openapi.json is not JSON', 'check that the URL is right')
    return toFinding(error)
  }
}

/** @throws what is a defect of ours. */
function toFinding(error: unknown): Finding {
  if (error instanceof EndOfVisitError) {
    return {
      state: 'warning',
      found: `not checked: ${error.message}`,
      advice: 'retry when the load is lower',
    }
  }
  if (!(error instanceof NoAnswerError)) throw error
  return failed(error.message, 'check that the service runs and that the URL is right')
}

const DOCUMENTATION = [
  { path: '/docs', type: 'text/html' },
  { path: '/llms.txt', type: 'text/' },
  { path: '/openapi.yaml', type: 'yaml' },
]

async function breachesOfDocumentation({ ask }: Visitor) {
  const breaches = await Promise.all(
    DOCUMENTATION.map(async ({ path, type }) => {
      const { status, headers } = await ask(path)
      const isRight = status === 200 && headers.get('content-type')?.includes(type)
      return isRight ? [] : [`${path} returns ${status}, as ${headers.get('content-type')}`]
    }),
  )
  return breaches.flat()
}

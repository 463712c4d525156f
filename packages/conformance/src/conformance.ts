import { findAccountViolations } from './account-checks.ts'
import { type Operation, readContract, requireDocumented, UnreadableError } from './contract.ts'
import { findAuthViolations, findDisclosureViolations, findErrorViolations } from './error-checks.ts'
import { findFigureViolations } from './figure-checks.ts'
import {
  createHttpClient,
  type HttpClient,
  NoResponseError,
  type RequestBounds,
  RequestBudgetError,
} from './http-client.ts'
import { findFilterViolations, pagingViolations } from './list-checks.ts'
import {
  findBodyViolations,
  findConditionalViolations,
  findEntityTagViolations,
  findFreshnessViolations,
  findHeaderViolations,
} from './response-checks.ts'
import { findRewardViolations } from './reward-checks.ts'
import { findStatementViolations } from './statement-checks.ts'
import { findTargets, type Target } from './targets.ts'
import { findTimeBasedViolations } from './time-based-checks.ts'

export interface Conformance {
  baseUrl: string
  /** Of a user, for the protected operations; without one only that they ask for it. */
  token?: string | undefined
  bounds?: RequestBounds
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
/** What a deployment says goes to a terminal: one line without control characters, and not all of a long one. */
const toLine = (text: string) => text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').slice(0, MAX_LENGTH)

const failed = (found: string, advice: string): Finding => ({ state: 'failed', found: toLine(found), advice })

const BOUNDS: RequestBounds = { maxRequests: 400, maxAtOnce: 4, timeoutMs: 55_000 }

/** The data may change between two answers: what is broken so often in a row is broken. */
const ATTEMPTS = 3

const MAX_NAMED = 3
const MAX_LENGTH = 1000
const ADVICE = 'compare with the documentation of this version, and check the proxies in between'

interface Check {
  name: string
  /** What is so where there is no breach. */
  promise: string
  /** Whether it may only seem to be broken, since data changed meanwhile. */
  isAboutData?: boolean
  /** Of its parts: only those that seem to be broken are looked at again. */
  violations: readonly FindViolations[]
}

type FindViolations = () => Promise<string[]> | string[]

/** Asks a deployment as anybody may, and says which of its promises it keeps. Takes a minute at most. */
export async function examineDeployment({ baseUrl, token, bounds = BOUNDS }: Conformance): Promise<CheckedFinding[]> {
  const http = createHttpClient(baseUrl, bounds)
  const opened = await open(http)
  if ('state' in opened) return [{ check: 'document', ...opened }]
  const { operations, targets } = opened
  const findings: CheckedFinding[] = [
    { check: 'document', ...ok(`/openapi.json describes ${operations.length} operations`) },
  ]
  // Of checks that read bodies: the first of them says what each body is to be.
  const documented = requireDocumented(http, operations)
  const guarded = operations.filter(({ isProtected }) => isProtected)
  const checks: Check[] = [
    {
      name: 'bodies',
      promise: 'bodies match the documented schemas',
      violations: [() => findBodyViolations(http, targets)],
    },
    {
      name: 'headers',
      promise: 'documented headers are present',
      violations: [() => findHeaderViolations(http, targets)],
    },
    {
      name: 'conditional-requests',
      promise: 'a matching If-None-Match gets 304',
      violations: [() => findConditionalViolations(http, targets)],
    },
    {
      name: 'paging',
      promise: 'pages of all sizes agree with their totals, their links and walks',
      isAboutData: true,
      violations: pagingViolations(documented),
    },
    {
      name: 'filters',
      promise: 'filters return only what matches, as often as facets count',
      isAboutData: true,
      violations: [() => findFilterViolations(documented)],
    },
    {
      name: 'accounts',
      promise: 'claims, rewards and eligibility of an account agree',
      isAboutData: true,
      violations: [() => findAccountViolations(documented, operations)],
    },
    {
      name: 'figures',
      promise: 'activity, outlook and what is earned over time add up, and agree with claims',
      isAboutData: true,
      violations: [
        () => findFigureViolations(documented, operations),
        () => findTimeBasedViolations(documented, operations),
      ],
    },
    {
      name: 'rewards',
      promise: 'rewards add up to what can be claimed, and transactions claim that',
      isAboutData: true,
      violations: [() => findRewardViolations(documented, operations)],
    },
    {
      name: 'statements',
      promise: 'statements say what the JSON says, and explanations what lists do',
      isAboutData: true,
      violations: [() => findStatementViolations(documented, operations)],
    },
    { name: 'errors', promise: 'errors name what is wrong', violations: [() => findErrorViolations(http, targets)] },
    {
      name: 'authentication',
      promise:
        token === undefined
          ? 'protected operations require a token; none was given to check with'
          : 'protected operations require and accept the token',
      violations: [() => findAuthViolations(http, guarded, token)],
    },
    {
      name: 'entity-tags',
      promise: 'entity tags change with bodies',
      isAboutData: true,
      violations: [() => findEntityTagViolations(http)],
    },
    {
      name: 'freshness',
      promise: 'as-of blocks never go back',
      violations: [() => findFreshnessViolations(http)],
    },
    {
      name: 'documentation',
      promise: 'documentation is served',
      violations: [() => findDocumentationViolations(http)],
    },
    { name: 'disclosure', promise: 'errors reveal no internals', violations: [() => findDisclosureViolations(http)] },
  ]
  for (const check of checks) findings.push({ check: check.name, ...(await runCheck(check)) })
  return findings
}

async function runCheck({ promise, violations, isAboutData = false }: Check): Promise<Finding> {
  const findLasting = async (find: FindViolations) => {
    let found = await find()
    for (let attempt = 1; found.length > 0 && isAboutData && attempt < ATTEMPTS; attempt += 1) found = await find()
    return found
  }
  try {
    const found = (await Promise.all(violations.map(findLasting))).flat()
    if (found.length === 0) return ok(promise)
    const rest = found.length > MAX_NAMED ? `; and ${found.length - MAX_NAMED} more` : ''
    return failed(`${found.slice(0, MAX_NAMED).join('; ')}${rest}`, ADVICE)
  } catch (error) {
    return toFinding(error)
  }
}

/** What there is to ask for. */
async function open(http: HttpClient): Promise<{ operations: Operation[]; targets: Target[] } | Finding> {
  try {
    const { status, text } = await http.send('/openapi.json')
    if (status !== 200) return failed(`/openapi.json returns ${status}`, 'check that the URL is right')
    const operations = readContract(text)
    if (operations.length === 0) return failed('/openapi.json has no operations', ADVICE)
    return { operations, targets: await findTargets(http, operations) }
  } catch (error) {
    return toFinding(error)
  }
}

function toFinding(error: unknown): Finding {
  if (error instanceof RequestBudgetError) {
    return {
      state: 'warning',
      found: `not checked: ${error.message}`,
      advice: 'retry when the load is lower',
    }
  }
  if (error instanceof NoResponseError) {
    return failed(error.message, 'check that the service runs and that the URL is right')
  }
  if (error instanceof UnreadableError) return failed(error.message, ADVICE)
  // The deployment's own document allows what the check cannot read.
  return failed('a response has another shape than this version documents', ADVICE)
}

const DOCUMENTATION = [
  { path: '/docs', type: 'text/html' },
  { path: '/llms.txt', type: 'text/' },
  { path: '/openapi.yaml', type: 'yaml' },
]

async function findDocumentationViolations({ send }: HttpClient) {
  const violations = await Promise.all(
    DOCUMENTATION.map(async ({ path, type }) => {
      const { status, headers } = await send(path)
      const isRight = status === 200 && headers.get('content-type')?.includes(type)
      return isRight ? [] : [`${path} returns ${status}, as ${headers.get('content-type')}`]
    }),
  )
  return violations.flat()
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CheckedFinding, examineDeployment } from 'reward-campaigns-conformance'
import { generateSample } from 'reward-campaigns-sample-data'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

/*
 * A deployment that answers what no service should: each is found and said in a sentence, whatever it is.
 */

interface Reply {
  status: number
  headers: Record<string, unknown>
  text: string
  /** The connection ends after the headers and half of the body. */
  isCut?: boolean
}

let api: TestApp
/** Responses of the service, by what was asked: each visit asks for nearly the same. */
const known = new Map<string, Reply>()

beforeAll(async () => {
  api = await startTestApp({ MAX_EXPORTS: '8' })
  await api.save(...generateSample({ campaigns: 30, claims: 90, seed: 5, now: new Date() }))
  await setFollowed(api.database, 10, 77)
})
afterAll(() => api[Symbol.asyncDispose]())

/** Asks of a stub what each check asks; `tamperOf` says how what it answers to some of the paths is changed. */
async function examine(
  isTampered: (path: string) => boolean,
  tamperOf: (path: string) => (reply: Reply) => void,
): Promise<CheckedFinding[]> {
  const server = createServer(async ({ method = 'GET', url = '', headers }, response) => {
    const { 'accept-encoding': _encoding, ...asked } = headers
    const key = JSON.stringify([method, url, asked['if-none-match'], asked.authorization, asked['x-request-id']])
    let reply = known.get(key)
    if (reply === undefined) {
      const {
        statusCode,
        headers: sent,
        payload,
      } = await api.app.inject({ method: method as 'GET', url, headers: asked })
      const { 'content-length': _length, connection: _connection, ...kept } = sent
      reply = { status: statusCode, headers: kept, text: payload }
      known.set(key, reply)
    }
    const given = { ...reply, headers: { ...reply.headers } }
    if (isTampered(url)) tamperOf(url)(given)
    response.writeHead(given.status, given.headers as Record<string, string>)
    if (given.isCut !== true) return void response.end(given.text)
    response.write(given.text.slice(0, given.text.length / 2), () => response.destroy())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  try {
    return await examineDeployment({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      bounds: { maxRequests: 3000, maxAtOnce: 4, timeoutMs: 60_000 },
    })
  } finally {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
}

/** A line for people: no stack, and nothing that only the language says. */
function expectSentences(findings: CheckedFinding[], about: string) {
  expect(findings.length, about).toBeGreaterThan(0)
  for (const { found } of findings) {
    expect(found, about).toMatch(/^\P{Cc}{3,1000}$/u)
    expect(found, about).not.toMatch(
      /TypeError|RangeError|Cannot read|is not a function|not iterable|undefined|\bat \S+ \(/,
    )
  }
}

/** Of each list and each document that a check reads, the paths. */
const KINDS: Record<string, RegExp> = {
  document: /^\/openapi\.json$/,
  campaigns: /^\/campaigns(\?|$)/,
  campaign: /^\/campaigns\/\d+:/,
  tokens: /^\/tokens/,
  contracts: /^\/explore\/contracts/,
  claims: /^\/claims/,
  activity: /^\/activity/,
  outlook: /^\/outlook/,
  eligibility: /^\/eligibility/,
  rewards: /^\/users\/0x/,
  status: /^\/status/,
}

const withText = (text: string) => (reply: Reply) => {
  if (reply.status === 200) reply.text = text
}
const withHeader = (name: string, value: string) => (reply: Reply) => {
  if (reply.status === 200) reply.headers[name] = value
}

const WHOLE: Record<string, (reply: Reply) => void> = {
  'no body': withText(''),
  'a page': withText('<!doctype html><h1>It works</h1>'),
  null: withText('null'),
  'a list': withText('[null, 1, {}]'),
  'an object': withText('{}'),
  'a number': withText('7'),
  'a text': withText('"x"'),
  'many brackets': withText('['.repeat(200_000)),
  'half of the body': (reply) => {
    reply.text = reply.text.slice(0, reply.text.length / 2)
  },
  'a connection that ends': (reply) => {
    reply.isCut = true
  },
  'a length that is too long': (reply) => {
    reply.headers['content-length'] = String(Buffer.byteLength(reply.text) + 10)
    reply.isCut = true
  },
  'a compression that is none': withHeader('content-encoding', 'gzip'),
  'another type': withHeader('content-type', 'text/html\t;x="\u001b'.replace('\u001b', '?')),
  'links to nowhere': withHeader('link', '<http://[>; rel="next", <http://[>; rel="prev"'),
  'a total that is none': withHeader('x-total-count', 'many'),
  'tags of blocks that are none': withHeader('x-as-of', 'x:y, 10:99999999999999999999999'),
  'a redirect': (reply) => Object.assign(reply, { status: 302, text: '' }),
  'no content': (reply) => Object.assign(reply, { status: 204, text: '' }),
  'a failure': (reply) => Object.assign(reply, { status: 500 }),
}

/** What is found all the same: where a body is right, and its header is looked at nowhere. */
const HARMLESS = ['links to nowhere', 'a total that is none', 'tags of blocks that are none']

test.each(Object.keys(WHOLE).map((name, index) => ({ name, index })))(
  'responses with $name are found, in a sentence',
  async ({ name, index }) => {
    // A third of them each time: the first that is found hides others.
    const patterns = Object.values(KINDS).filter((_, kind) => kind % 3 === index % 3)
    const tamper = WHOLE[name] ?? (() => undefined)
    const findings = await examine(
      (path) => patterns.some((pattern) => pattern.test(path)),
      () => tamper,
    )
    expectSentences(findings, name)
    if (!HARMLESS.includes(name)) {
      expect(
        findings.some(({ state }) => state === 'failed'),
        JSON.stringify(findings),
      ).toBe(true)
    }
  },
)

/** Where something is in a body: keys from the outside in; of a list its first entry stands for the others. */
function placesOf(value: unknown, place: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [place]
  const entries = Array.isArray(value) ? Object.entries(value).slice(0, 1) : Object.entries(value)
  return [place, ...entries.flatMap(([key, part]) => placesOf(part, [...place, key]))]
}

const WRONG: unknown[] = [null, 7.5, '', 'x', [], [null], {}, true, undefined]

/** A value that is no value of this kind. */
const isOther = (one: unknown, other: unknown) =>
  typeof one !== typeof other || Array.isArray(one) !== Array.isArray(other) || (one === null) !== (other === null)

function change(text: string, place: readonly string[], wrong: unknown) {
  const body: unknown = JSON.parse(text)
  const within = place.slice(0, -1).reduce((part: unknown, key) => Object(part)[key], body)
  const key = place.at(-1)
  if (key === undefined) return JSON.stringify(wrong) ?? ''
  const holder = Object(within)
  if (Object.hasOwn(holder, key) && isOther(holder[key], wrong)) holder[key] = wrong
  return JSON.stringify(body)
}

/** Visits, each with something else at one place of every third kind of response. */
const VISITS = 24

test('something else at any place of a body ends no visit', { timeout: 300_000 }, async () => {
  await examine(
    () => false,
    () => () => undefined,
  )
  const places = Object.values(KINDS).map((pattern) => {
    const bodies = [...known].flatMap(([key, { status, text }]) =>
      // Statements and what has no body have no places.
      pattern.test(JSON.parse(key)[1]) && status === 200 && /^[{[]/.test(text) ? [text] : [],
    )
    const all = bodies.flatMap((text) => placesOf(JSON.parse(text))).filter(({ length }) => length <= 7)
    const distinct = [...new Map(all.map((place) => [place.join('/'), place])).values()]
    expect(distinct.length).toBeGreaterThan(2)
    return { pattern, distinct }
  })
  for (let visit = 0; visit < VISITS; visit++) {
    const chosen = places
      .filter((_, kind) => (kind + visit) % 3 === 0)
      // Spread over all places, by a prime that no number of them has as a divisor.
      .map(({ pattern, distinct }) => ({ pattern, place: distinct[(visit * 7919) % distinct.length] ?? [] }))
    const wrong = WRONG[visit % WRONG.length]
    const findings = await examine(
      (path) => chosen.some(({ pattern }) => pattern.test(path)),
      (path) => (reply) => {
        const place = chosen.find(({ pattern }) => pattern.test(path))?.place ?? []
        if (reply.status === 200 && /^[{[]/.test(reply.text)) reply.text = change(reply.text, place, wrong)
      },
    )
    expectSentences(findings, `${chosen.map(({ place }) => place.join('/'))}: ${JSON.stringify(wrong)}`)
  }
})

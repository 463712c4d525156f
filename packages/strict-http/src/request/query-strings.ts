import { parse } from 'fast-querystring'
import { LRUCache } from 'lru-cache'
import { foldAscii } from './canonical-query.ts'
import type { ParameterError } from './errors/error-schemas.ts'

/** A query string as Fastify parses it: a repeated parameter is an array. */
type RawQuery = Record<string, string | string[]>

/** Maximum number of `name=value` pairs, and of entries in a list: a few full lists, with duplicates. */
export const MAX_PAIRS = 1024

/** Maximum number of different names: no operation has as many. */
const MAX_NAMES = 64

/**
 * Maximum number of problems that the sentence of an error lists: neither it nor the work grows with the number of
 * mistakes.
 */
export const MAX_PROBLEMS = 20
/** Ends a sentence that leaves out others. */
export const AND_MORE = 'and more'

/** Maximum number of unknown parameters for which the nearest known one is looked for. */
const MAX_SUGGESTIONS = 3

/** Maximum length of a parameter's name in an error. */
const MAX_NAME = 128

/** The most recent short query strings: the result of one is the same object as long as it is cached. */
const parsed = new LRUCache<string, RawQuery>({ max: 1000 })
const MAX_CACHED_LENGTH = 256

/** The part of a query string that is parsed: `rejectMalformedQueries` rejects one with more pairs. */
export function parseQuery(text: string): RawQuery {
  if (text.length > MAX_CACHED_LENGTH) {
    return parse(text.length > MAX_PAIRS ? text.split('&', MAX_PAIRS).join('&') : text)
  }
  const known = parsed.get(text)
  if (known !== undefined) return known
  const query = parse(text)
  parsed.set(text, query)
  return query
}

/** The part of a JSON schema that decides how a value is written in a query string. */
interface ParameterSchema {
  type?: string | string[]
  default?: unknown
  maxItems?: number
  enum?: readonly unknown[]
  'x-any-case'?: boolean
  'x-not-with'?: string
  /** The handler fills in the default, which depends on more than this parameter. */
  'x-default-later'?: boolean
  items?: ParameterSchema
}

export interface ReadQuery {
  /** Values as the schema describes them; unreadable ones stay as they were written, for the validator. */
  values: Record<string, unknown>
  /** Faults that no schema can express. */
  problems: Problem[]
}

/** A fault of a parameter, or of all of them together. */
export type Problem = Omit<ParameterError, 'parameter'> & { parameter?: string }

/** How what is wrong with a name is put into words. */
export interface NameWords {
  /** The parameter that an unknown one was probably meant to be. */
  suggest?: (name: string, known: readonly string[]) => string | undefined
  /** A text of at most so many characters. */
  truncate?: (text: string, maxLength: number) => string
}

type Reader = (text: string) => unknown

/**
 * Turns query strings into the values that their schema describes. Faults of the query as a whole are reported here
 * (unknown and repeated parameters); the validator decides whether a value is acceptable. Everything about the schema
 * is prepared once, since every request runs this code.
 */
export function createQueryReader(
  parameters: Record<string, ParameterSchema>,
  words: NameWords = {},
): (raw: RawQuery) => ReadQuery {
  const readers = new Map<string, { maxItems: number | undefined; read: Reader }>()
  const defaults: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(parameters)) {
    const isList = isOfType(schema, 'array')
    const maxItems = isList ? (schema.maxItems ?? Number.POSITIVE_INFINITY) : undefined
    readers.set(name, { maxItems, read: createReader((isList ? schema.items : schema) ?? {}) })
    if (schema.default !== undefined && !schema['x-default-later']) defaults[name] = schema.default
  }
  const exclusions = Object.entries(parameters).flatMap(([name, { 'x-not-with': other }]) =>
    other === undefined ? [] : [{ name, other }],
  )
  const known = [...readers.keys()]
  return (raw) => {
    const values = { ...defaults }
    const problems: Problem[] = []
    const names = Object.keys(raw)
    if (names.length > MAX_NAMES) {
      const detail = `at most ${MAX_NAMES} different parameters are accepted, got ${names.length}`
      return { values, problems: [{ code: 'unknown', detail }] }
    }
    let unknown = 0
    for (const name of names) {
      if (problems.length > MAX_PROBLEMS) break
      const text = raw[name] ?? ''
      const reader = readers.get(name)
      if (reader === undefined) {
        unknown += 1
        const detail = unknownParameter(name, known, words, unknown <= MAX_SUGGESTIONS)
        problems.push({ parameter: name, code: 'unknown', detail })
      } else if (reader.maxItems !== undefined) {
        const entries = readList([text].flat(), reader.maxItems, reader.read)
        if (entries !== undefined) values[name] = entries
        else {
          const detail = `${name} must have at most ${reader.maxItems} entries`
          problems.push({ parameter: name, code: 'invalid', detail })
        }
      } else if (typeof text !== 'string') {
        problems.push({ parameter: name, code: 'repeated', detail: `${name} must be given at most once` })
      } else {
        const value = reader.read(text)
        if (value !== undefined) values[name] = value
      }
    }
    for (const { name, other } of exclusions) {
      if (raw[name] === undefined || !isGiven(raw[other])) continue
      problems.push({ parameter: other, code: 'invalid', detail: `${other} must not be given with ${name}` })
    }
    return { values, problems }
  }
}

/** An empty value and the word `null` mean the default, as if there were none. */
const isGiven = (text: unknown) => text !== undefined && text !== '' && text !== 'null'

const isOfType = (schema: ParameterSchema, type: string) => [schema.type].flat().includes(type)

function createReader(schema: ParameterSchema): Reader {
  const [isNullable, isInteger, isBoolean] = ['null', 'integer', 'boolean'].map((type) => isOfType(schema, type))
  const words = schema['x-any-case'] ? (schema.enum ?? []) : []
  return (text) => {
    if (isNullable && (text === '' || text === 'null')) return schema['x-default-later'] ? undefined : schema.default
    // A number that JavaScript cannot represent stays text: it is too large for every parameter.
    if (isInteger && /^[0-9]+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
    if (isBoolean && (text === 'true' || text === 'false')) return text === 'true'
    return words.find((word) => isSameWord(word, text)) ?? text
  }
}

const isSameWord = (word: unknown, text: string) => String(word).toLowerCase() === text.toLowerCase()

/** A list is written with commas, or by repeating its parameter, or both. */
function* entriesOf(texts: string[]) {
  for (const text of texts) {
    let start = 0
    for (let end = text.indexOf(','); end !== -1; end = text.indexOf(',', start)) {
      yield text.slice(start, end)
      start = end + 1
    }
    yield text.slice(start)
  }
}

/**
 * Entries are trimmed; of those that differ only in case the first stays. After one entry too many the rest is not
 * read.
 * @returns undefined if there are too many, including duplicates.
 */
function readList(texts: string[], maxItems: number, read: Reader) {
  const entries = new Map<string, unknown>()
  let count = 0
  for (const text of entriesOf(texts)) {
    count += 1
    if (count > MAX_PAIRS) return undefined
    const value = read(text.trim())
    const identity = foldAscii(String(value))
    if (!entries.has(identity)) entries.set(identity, value)
    if (entries.size > maxItems) break
  }
  return [...entries.values()]
}

const cut = (text: string, maxLength: number) => text.slice(0, maxLength)

function unknownParameter(
  name: string,
  known: string[],
  { suggest = () => undefined, truncate = cut }: NameWords,
  isSuggestionWanted: boolean,
) {
  const unknown = `unknown parameter ${JSON.stringify(truncate(name, MAX_NAME))}`
  if (known.length === 0) return `${unknown}: this operation takes none`
  if (!isSuggestionWanted) return unknown
  const suggested = suggest(name.slice(0, MAX_NAME), known)
  const suggestion = suggested === undefined ? ': known' : `, did you mean ${suggested}? Known`
  return `${unknown}${suggestion} are ${known.join(', ')}`
}

/**
 * Accepts `tokens[]=a&tokens[]=b`, as axios and PHP write a list, as `tokens=a&tokens=b`. Parameters that are no lists
 * keep their brackets, and are then unknown.
 * @param lists names of the parameters that are lists.
 */
export function withoutBrackets(raw: Record<string, string | string[]>, lists: ReadonlySet<string>) {
  const names = Object.keys(raw)
  const toListName = (name: string) => {
    const plain = name.endsWith('[]') ? name.slice(0, -2) : undefined
    return plain !== undefined && lists.has(plain) ? plain : undefined
  }
  if (!names.some(toListName)) return raw
  const joined: typeof raw = Object.create(null)
  for (const name of names) {
    const known = toListName(name) ?? name
    const before = joined[known]
    const text = raw[name] ?? ''
    joined[known] = before === undefined ? text : [before, text].flat()
  }
  return joined
}

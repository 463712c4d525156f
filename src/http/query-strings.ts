import { suggestParameter } from './parameter-suggestions.ts'

/** A query string as Fastify parses it: a repeated parameter is an array. */
type RawQuery = Record<string, string | string[]>

/** The part of a JSON schema that says how a value is written in a query string. */
interface ParameterSchema {
  type?: string | string[]
  default?: unknown
  enum?: readonly unknown[]
  'x-any-case'?: boolean
  items?: ParameterSchema
}

export interface ReadQuery {
  /** Values as the schema describes them; what could not be read is left as it was written, for the validator. */
  values: Record<string, unknown>
  /** Sentences about faults that no schema can express. */
  problems: string[]
}

type Reader = (text: string) => unknown

/**
 * Turns the text of query strings into the values that their schema describes. Faults that concern the query as a whole
 * are reported here (unknown and repeated parameters); whether a value is acceptable is for the validator to say. What can
 * be known of the schema beforehand is, since every request comes by.
 */
export function createQueryReader(parameters: Record<string, ParameterSchema>): (raw: RawQuery) => ReadQuery {
  const readers = new Map<string, { isList: boolean; read: Reader }>()
  const defaults: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(parameters)) {
    const isList = isOfType(schema, 'array')
    readers.set(name, { isList, read: createReader((isList ? schema.items : schema) ?? {}) })
    if (schema.default !== undefined) defaults[name] = schema.default
  }
  return (raw) => {
    const values = { ...defaults }
    const problems: string[] = []
    for (const name of Object.keys(raw)) {
      const text = raw[name] ?? ''
      const reader = readers.get(name)
      if (reader === undefined) problems.push(unknownParameter(name, [...readers.keys()]))
      else if (reader.isList) values[name] = readList(typeof text === 'string' ? [text] : text, reader.read)
      else if (typeof text !== 'string') problems.push(`${name} must be given at most once`)
      else {
        const value = reader.read(text)
        if (value !== undefined) values[name] = value
      }
    }
    return { values, problems }
  }
}

const isOfType = (schema: ParameterSchema, type: string) => [schema.type].flat().includes(type)

function createReader(schema: ParameterSchema): Reader {
  const [isNullable, isInteger, isBoolean] = ['null', 'integer', 'boolean'].map((type) => isOfType(schema, type))
  const words = schema['x-any-case'] ? (schema.enum ?? []) : []
  return (text) => {
    if (isNullable && (text === '' || text === 'null')) return schema.default
    // A number that JavaScript cannot hold stays text: it is too large for every parameter.
    if (isInteger && /^[0-9]+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
    if (isBoolean && (text === 'true' || text === 'false')) return text === 'true'
    return words.find((word) => isSameWord(word, text)) ?? text
  }
}

const isSameWord = (word: unknown, text: string) => String(word).toLowerCase() === text.toLowerCase()

/**
 * A list is written with commas, or by repeating its parameter, or both. Entries are trimmed; of those that differ only
 * in case the first stays.
 */
function readList(texts: string[], read: Reader) {
  const entries = new Map<string, unknown>()
  for (const part of texts.flatMap((text) => text.split(','))) {
    const entry = part.trim()
    const value = read(entry)
    const identity = String(value).toLowerCase()
    if (!entries.has(identity)) entries.set(identity, value)
  }
  return [...entries.values()]
}

function unknownParameter(name: string, known: string[]) {
  if (known.length === 0) return `unknown parameter ${JSON.stringify(name)}: this operation takes none`
  const suggested = suggestParameter(name, known)
  const suggestion = suggested === undefined ? ': known' : `, did you mean ${suggested}? Known`
  return `unknown parameter ${JSON.stringify(name)}${suggestion} are ${known.join(', ')}`
}

import { distance } from 'fastest-levenshtein'

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

/**
 * Turns the text of a query string into the values its schema describes. Faults that concern the query as a whole are
 * reported here (unknown and repeated parameters); whether a value is acceptable is for the validator to say.
 */
export function readQuery(raw: RawQuery, parameters: Record<string, ParameterSchema>): ReadQuery {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, schema] of Object.entries(parameters)) {
    if (schema.default !== undefined) values[name] = schema.default
  }
  for (const [name, text] of Object.entries(raw)) {
    const schema = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (schema === undefined) problems.push(unknownParameter(name, Object.keys(parameters)))
    else if (isOfType(schema, 'array')) values[name] = readList([text].flat(), schema.items ?? {})
    else if (Array.isArray(text)) problems.push(`${name} must be given at most once`)
    else {
      const value = readValue(text, schema)
      if (value !== undefined) values[name] = value
    }
  }
  return { values, problems }
}

const isOfType = (schema: ParameterSchema, type: string) => [schema.type].flat().includes(type)

function readValue(text: string, schema: ParameterSchema): unknown {
  if (isOfType(schema, 'null') && (text === '' || text === 'null')) return schema.default
  // A number that JavaScript cannot hold stays text: it is too large for every parameter.
  if (isOfType(schema, 'integer') && /^[0-9]+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  if (isOfType(schema, 'boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (schema['x-any-case']) return schema.enum?.find((word) => isSameWord(word, text)) ?? text
  return text
}

const isSameWord = (word: unknown, text: string) => String(word).toLowerCase() === text.toLowerCase()

/**
 * A list is written with commas, or by repeating its parameter, or both. Entries are trimmed; of those that differ only
 * in case the first stays.
 */
function readList(texts: string[], itemSchema: ParameterSchema) {
  const entries = new Map<string, unknown>()
  for (const part of texts.flatMap((text) => text.split(','))) {
    const entry = part.trim()
    const value = readValue(entry, itemSchema)
    const identity = String(value).toLowerCase()
    if (!entries.has(identity)) entries.set(identity, value)
  }
  return [...entries.values()]
}

function unknownParameter(name: string, known: string[]) {
  if (known.length === 0) return `unknown parameter ${JSON.stringify(name)}: this operation takes none`
  const nearest = known.reduce((best, candidate) =>
    distance(name, candidate) < distance(name, best) ? candidate : best,
  )
  return `unknown parameter ${JSON.stringify(name)}, did you mean ${nearest}? Known are ${known.join(', ')}`
}

/** A document, or a part of one. */
type Json = Record<string, unknown>

interface Schema extends Json {
  allOf?: { $ref: string }[]
  properties?: Json
  required?: string[]
}

interface Document {
  paths: Record<string, Record<string, Json>>
  components?: { schemas?: Record<string, Schema> }
  servers?: unknown
  security?: unknown
}

/**
 * A copy of an OpenAPI document in which its operations have everything in its place; of shared examples their own. Only
 * schemas of responses are still referred to, each with all its properties: they have names, and may hold each other.
 */
export function resolveReferences<T extends object>(document: T): T {
  const { paths, components = {}, servers, security } = document as Document
  const { schemas = {} } = components
  const targetOf = (reference: string) =>
    reference
      .slice(2)
      .split('/')
      .reduce((part, key) => (part[key] ?? {}) as Json, document as Json)

  function resolve(part: unknown, operationId: unknown, isParameter = false): unknown {
    if (Array.isArray(part)) return part.map((one) => resolve(one, operationId, isParameter))
    if (typeof part !== 'object' || part === null) return part
    const { $ref, ...rest } = part as Json
    if (typeof $ref === 'string' && (isParameter || !$ref.startsWith('#/components/schemas/'))) {
      return resolve({ ...targetOf($ref), ...rest }, operationId, isParameter)
    }
    // An example of several operations has the IDs of all of them.
    const own = Object.entries(part).filter(([key]) => key === 'all' || key.split('-').includes(String(operationId)))
    return Object.fromEntries(
      (own.length === 0 ? Object.entries(part) : own).map(([key, one]) => [
        key,
        resolve(one, operationId, isParameter || key === 'parameters'),
      ]),
    )
  }

  /** With what it includes. */
  function mergeAllOf({ allOf, unevaluatedProperties, ...schema }: Schema): Schema {
    if (allOf === undefined) return schema
    const parts = [...allOf.map(({ $ref }): Schema => targetOf($ref)), schema]
    return {
      ...schema,
      additionalProperties: unevaluatedProperties,
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
      required: parts.flatMap(({ required = [] }) => required),
    }
  }

  const operations = Object.entries(paths).map(([path, { get, ...others }]) => [
    path,
    { ...others, get: resolve({ servers, security, ...get }, get?.operationId) },
  ])
  const merged = Object.entries(schemas).map(([name, schema]): [string, Schema] => [name, mergeAllOf(schema)])
  // What is in its place now stands nowhere else: enumerations of parameters, and what other schemas include.
  const text = JSON.stringify(merged)
  const included = new Set(Object.values(schemas).flatMap(({ allOf = [] }) => allOf.map(({ $ref }) => $ref)))
  const isPart = ([name, schema]: [string, Schema]) => {
    const reference = `#/components/schemas/${name}`
    return ('enum' in schema || included.has(reference)) && !text.includes(`"${reference}"`)
  }
  const rest = merged.filter((one) => !isPart(one))
  return {
    ...document,
    paths: Object.fromEntries(operations),
    components: { ...components, schemas: Object.fromEntries(rest) },
  }
}

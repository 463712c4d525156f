/** A document, or a part of one. */
type Json = Record<string, unknown>

interface Document {
  paths: Record<string, Record<string, Json>>
  components?: { schemas?: Record<string, Json> }
}

/**
 * A copy of an OpenAPI document in which its operations have everything in its place; of shared examples their own. Only
 * schemas of responses are still referred to: they have names, and may hold each other.
 */
export function resolveReferences<T extends object>(document: T): T {
  const { paths, components = {} } = document as Document
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
    const own = Object.entries(part).filter(([key]) => key === operationId)
    return Object.fromEntries(
      (own.length === 0 ? Object.entries(part) : own).map(([key, one]) => [
        key,
        resolve(one, operationId, isParameter || key === 'parameters'),
      ]),
    )
  }

  const operations = Object.entries(paths).map(([path, { get, ...others }]) => [
    path,
    { ...others, get: resolve(get, get?.operationId) },
  ])
  // Enumerations that only parameters refer to are in their places now.
  const text = JSON.stringify(components.schemas)
  const schemas = Object.entries(components.schemas ?? {}).filter(
    ([name, schema]) => schema.enum === undefined || text.includes(`"#/components/schemas/${name}"`),
  )
  return {
    ...document,
    paths: Object.fromEntries(operations),
    components: { ...components, schemas: Object.fromEntries(schemas) },
  }
}

/*
 * Enumerations of an OpenAPI document become schemas with names: generators of clients make a type of each.
 */

type Schema = Record<string, unknown>

interface Operation {
  operationId?: string
  parameters?: { name: string; schema: Schema }[]
  responses?: Record<string, { headers?: Schema }>
}

/** What of a schema is the enumeration; the rest says what it is used for. */
const KEYWORDS = ['type', 'enum', 'x-enum-varnames']

/** Replaces each enumeration of parameters, headers and components by a reference, and adds those without a name. */
export function nameEnumerations(operations: Operation[], components: { schemas?: Record<string, Schema> }) {
  const { schemas = {} } = components
  components.schemas = schemas
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [enumerationOf(schema), name]))

  /** What a schema is made of, or where it leads: it keeps its description and its default. */
  function named(schema: Schema, path: string[]): Schema {
    const enumeration = enumerationOf(schema)
    if (enumeration === undefined) return withinNamed(schema, path)
    const name = names.get(enumeration) ?? toName(path)
    names.set(enumeration, name)
    schemas[name] ??= JSON.parse(enumeration)
    const rest = Object.entries(schema).filter(([keyword]) => !KEYWORDS.includes(keyword))
    return { $ref: `#/components/schemas/${name}`, ...Object.fromEntries(rest) }
  }

  const withinNamed = (schema: Schema, path: string[]): Schema =>
    Object.fromEntries(
      Object.entries(schema).map(([keyword, part]) => {
        if (keyword === 'items') return [keyword, named(part as Schema, path)]
        if (keyword === 'anyOf') return [keyword, (part as Schema[]).map((one) => named(one, path))]
        if (keyword !== 'properties') return [keyword, part]
        const properties = Object.entries(part as Record<string, Schema>)
        return [keyword, Object.fromEntries(properties.map(([key, one]) => [key, named(one, [...path, key])]))]
      }),
    )

  // First the schemas, for which operations there are is a matter of settings.
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = withinNamed(schema, [name])
  for (const { operationId = '', parameters = [], responses = {} } of operations) {
    for (const parameter of parameters) parameter.schema = named(parameter.schema, [operationId, parameter.name])
    for (const [name, header] of Object.values(responses).flatMap(({ headers = {} }) => Object.entries(headers))) {
      Object.assign(header as Schema, { schema: named((header as Schema).schema as Schema, name.split('-')) })
    }
  }
}

/** Returns `undefined` if the schema is no enumeration. A single value is none: it discriminates a variant. */
function enumerationOf(schema: Schema) {
  if (!Array.isArray(schema.enum) || schema.enum.length === 1) return undefined
  return JSON.stringify(Object.fromEntries(Object.entries(schema).filter(([keyword]) => KEYWORDS.includes(keyword))))
}

/** A response is of the operation whose name it has. */
const toName = ([owner = '', ...keys]: string[]) =>
  [owner.replace(/Response$/, ''), ...keys].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')

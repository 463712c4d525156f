import { operationsOf } from './document-transforms.ts'

/*
 * What an OpenAPI document says several times it says once: in a component that the places refer to.
 */

type Json = Record<string, unknown>

interface ObjectSchema extends Json {
  properties?: Json
  required?: string[]
  allOf?: object[]
}

interface Parameter extends Json {
  name: string
  schema: Json
}
interface Operation {
  operationId?: string
  parameters?: Parameter[]
  security?: object[]
  responses?: Record<string, Response>
}
interface Response {
  headers?: Json
  content?: Record<string, { examples?: Json }>
}
interface Components {
  [kind: string]: Json | undefined
  schemas?: Record<string, Json>
  responses?: Record<string, Response & Json>
}

/**
 * A copy in which responses, headers, examples and parameters that occur more than once are components, and so is each
 * enumeration, for which generators of clients make a type.
 * @param families objects whose common properties become a schema of their own.
 */
export function shareComponents<T extends object>(document: T, families: readonly Family[] = []): T {
  const copy = structuredClone(document)
  const { components = {}, security } = copy as { components?: Components; security?: object[] }
  const operations = operationsOf<Operation>(copy)
  for (const operation of operations) {
    if (JSON.stringify(operation.security) === JSON.stringify(security)) delete operation.security
  }
  const shareAs = <T>(
    kind: string,
    holders: (Record<string, T> | T[])[],
    nameOf?: (key: string, value: T) => string,
  ) => {
    const locations = holders.flatMap((holder) => locationsIn(holder, nameOf))
    const shared = share(locations, `#/components/${kind}/`)
    if (Object.keys(shared).length > 0) components[kind] = shared
  }
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) leaveOutDefaults(parameter)
  referToNamed(operations, components.schemas)
  nameEnumerations(operations, components)
  shareProperties(components.schemas ?? {}, families)
  uniteExamples(operations)
  const parameters = operations.map((operation) => operation.parameters ?? [])
  shareAs('parameters', parameters, (_, { name }) => name)
  const ofOperations = operations.map((operation) => operation.responses ?? {})
  shareAs('responses', ofOperations, (status) => `Http${status}`)
  // Those that stay inline, and those that are components now.
  const responses = [...ofOperations, components.responses ?? {}].flatMap((one) => Object.values(one))
  shareAs(
    'headers',
    responses.map(({ headers = {} }) => headers),
  )
  const contents = responses.flatMap(({ content = {} }) => Object.values(content))
  shareAs(
    'examples',
    contents.map(({ examples = {} }) => examples),
  )
  return copy
}

/**
 * Responses that differ in their examples alone get those of all of them: each under the IDs of the operations that have
 * it, or `all`.
 */
function uniteExamples(operations: Operation[]) {
  const all = operations.flatMap(({ operationId = '', responses = {} }) =>
    Object.entries(responses).map(([status, response]) => ({ operationId, status, response })),
  )
  for (const alike of groupBy(all, ({ status, response }) => status + withoutExamples(response))) {
    const areEqual = groupBy(alike, ({ response }) => JSON.stringify(response)).length === 1
    if (areEqual) continue
    for (const type of Object.keys(alike[0]?.response.content ?? {})) {
      const documented = alike.flatMap(({ operationId, response }) =>
        Object.values(response.content?.[type]?.examples ?? {}).map((example) => ({ operationId, example })),
      )
      if (documented.length === 0) continue
      const united = groupBy(documented, ({ example }) => JSON.stringify(example)).map((same) => [
        same.length === alike.length ? 'all' : same.map(({ operationId }) => operationId).join('-'),
        same[0]?.example,
      ])
      for (const { response } of alike) {
        Object.assign(response.content?.[type] ?? {}, { examples: Object.fromEntries(united) })
      }
    }
  }
}

/** What OpenAPI takes for granted: that a parameter is optional, and how one is written that is no list. */
function leaveOutDefaults(parameter: Parameter) {
  if (parameter.required === false) delete parameter.required
  delete parameter.style
  if (parameter.schema.type !== 'array') delete parameter.explode
}

/** Replaces schemas of parameters that say the same as a named one by references to that. */
function referToNamed(operations: Operation[], schemas: Components['schemas'] = {}) {
  const rulesOf = ({ description: _, examples: __, ...rules }: Json) => JSON.stringify(Object.entries(rules).sort())
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [rulesOf(schema), name]))
  const toNamed = (schema: Json): Json => {
    const name = names.get(rulesOf(schema))
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
    return schema.items === undefined ? schema : { ...schema, items: toNamed(schema.items as Json) }
  }
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    parameter.schema = toNamed(parameter.schema)
  }
}

const withoutExamples = (response: Response) =>
  JSON.stringify(response, (key, value) => (key === 'examples' ? undefined : value))

/** The location of a value in the document, and its name as a component. */
interface SchemaLocation {
  holder: Json
  key: string
  name: string
}

function locationsIn<T>(holder: Record<string, T> | T[], nameOf = (key: string, _value: T) => key): SchemaLocation[] {
  return Object.entries(holder).map(([key, value]) => ({ holder: holder as Json, key, name: nameOf(key, value) }))
}

/** Replaces what is in several places by references, and returns what these lead to; a name that is taken gets a number. */
function share(locations: SchemaLocation[], prefix: string): Json {
  const shared: Json = {}
  for (const same of groupBy(locations, ({ holder, key, name }) => JSON.stringify([name, holder[key]]))) {
    const [first] = same
    if (first === undefined || same.length === 1) continue
    const namesakes = Object.keys(shared).filter((name) => name.replace(/_\d+$/, '') === first.name).length
    const name = namesakes === 0 ? first.name : `${first.name}_${namesakes + 1}`
    shared[name] = first.holder[first.key]
    for (const { holder, key } of same) holder[key] = { $ref: `${prefix}${name}` }
  }
  return shared
}

function groupBy<T>(values: T[], keyOf: (value: T) => string): T[][] {
  const groups = new Map<string, T[]>()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return [...groups.values()]
}

/** Objects that have many properties in common: the name of what these are, its description, and which they are. */
export type Family = [name: string, description: string, members: RegExp]

/** Moves what all members of a family have alike into a schema that each of them includes. */
function shareProperties(schemas: Record<string, ObjectSchema>, families: readonly Family[]) {
  for (const [family, description, members] of families) {
    const all = Object.entries(schemas)
      .filter(([name]) => members.test(name))
      .map(([, schema]) => schema)
    const propertyOf = ({ properties, required }: ObjectSchema, key: string) =>
      JSON.stringify([properties?.[key], required?.includes(key)])
    const [first = {}] = all
    const isShared = (key: string) => all.every((one) => propertyOf(one, key) === propertyOf(first, key))
    const shared = only(first, isShared)
    schemas[family] = { type: 'object', description, ...shared }
    for (const schema of all) {
      Object.assign(
        schema,
        only(schema, (key) => !(key in shared.properties)),
      )
      schema.allOf = [...(schema.allOf ?? []), { $ref: `#/components/schemas/${family}` }]
      // What a schema includes is no additional property of the whole.
      schema.unevaluatedProperties = false
      delete schema.additionalProperties
    }
  }
}

const only = ({ properties = {}, required = [] }: ObjectSchema, isWanted: (key: string) => boolean) => ({
  properties: Object.fromEntries(Object.entries(properties).filter(([key]) => isWanted(key))),
  required: required.filter(isWanted),
})

/** What of a schema is the enumeration; the rest says what it is used for. */
const KEYWORDS = ['type', 'enum', 'x-enum-varnames']

/** Replaces each enumeration of parameters, headers and components by a reference, and adds those without a name. */
function nameEnumerations(operations: Operation[], components: { schemas?: Record<string, Json> }) {
  const { schemas = {} } = components
  components.schemas = schemas
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [enumerationOf(schema), name]))

  /** What a schema is made of, or where it leads: it keeps its description and its default. */
  function named(schema: Json, path: string[]): Json {
    const enumeration = enumerationOf(schema)
    if (enumeration === undefined) return withinNamed(schema, path)
    const name = names.get(enumeration) ?? toName(path)
    names.set(enumeration, name)
    schemas[name] ??= JSON.parse(enumeration)
    const rest = Object.entries(schema).filter(([keyword]) => !KEYWORDS.includes(keyword))
    return { $ref: `#/components/schemas/${name}`, ...Object.fromEntries(rest) }
  }

  const withinNamed = (schema: Json, path: string[]): Json =>
    Object.fromEntries(
      Object.entries(schema).map(([keyword, part]) => {
        if (keyword === 'items') return [keyword, named(part as Json, path)]
        if (keyword === 'anyOf') return [keyword, (part as Json[]).map((one) => named(one, path))]
        if (keyword !== 'properties') return [keyword, part]
        const properties = Object.entries(part as Record<string, Json>)
        return [keyword, Object.fromEntries(properties.map(([key, one]) => [key, named(one, [...path, key])]))]
      }),
    )

  // First the schemas, for which operations there are is a matter of settings.
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = withinNamed(schema, [name])
  for (const { operationId = '', parameters = [], responses = {} } of operations) {
    for (const parameter of parameters) parameter.schema = named(parameter.schema, [operationId, parameter.name])
    for (const [name, header] of Object.values(responses).flatMap(({ headers = {} }) => Object.entries(headers))) {
      Object.assign(header as Json, { schema: named((header as Json).schema as Json, name.split('-')) })
    }
  }
}

/** Returns `undefined` if the schema is no enumeration. A single value is none: it discriminates a variant. */
function enumerationOf(schema: Json) {
  if (!Array.isArray(schema.enum) || schema.enum.length === 1) return undefined
  return JSON.stringify(Object.fromEntries(Object.entries(schema).filter(([keyword]) => KEYWORDS.includes(keyword))))
}

/** A response is of the operation whose name it has. */
const toName = ([owner = '', ...keys]: string[]) =>
  [owner.replace(/Response$/, ''), ...keys].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')

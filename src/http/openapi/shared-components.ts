import { operationsOf } from './document-transforms.ts'
import { nameEnumerations, shareProperties } from './shared-schemas.ts'

/*
 * What an OpenAPI document says several times it says once: in a component that the places refer to.
 */

type Json = Record<string, unknown>

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
 */
export function shareComponents<T extends object>(document: T): T {
  const copy = structuredClone(document)
  const { components = {}, security } = copy as { components?: Components; security?: object[] }
  const operations = operationsOf<Operation>(copy)
  for (const operation of operations) {
    if (JSON.stringify(operation.security) === JSON.stringify(security)) delete operation.security
  }
  const shareAs = (kind: string, locations: SchemaLocation[]) => {
    const shared = share(locations, `#/components/${kind}/`)
    if (Object.keys(shared).length > 0) components[kind] = shared
  }
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) leaveOutDefaults(parameter)
  referToNamed(operations, components.schemas)
  nameEnumerations(operations, components)
  shareProperties(components.schemas ?? {})
  uniteExamples(operations)
  shareAs(
    'parameters',
    operations.flatMap(({ parameters = [] }) => locationsIn(parameters, (_, { name }) => name)),
  )
  shareAs(
    'responses',
    operations.flatMap(({ responses = {} }) => locationsIn(responses, (status) => `Http${status}`)),
  )
  // Schemas that stay inline, and schemas that are components now.
  const responses = [...operations, components].flatMap((one) => Object.values(one.responses ?? {}))
  shareAs(
    'headers',
    responses.flatMap(({ headers = {} }) => locationsIn(headers)),
  )
  const contents = responses.flatMap(({ content = {} }) => Object.values(content))
  shareAs(
    'examples',
    contents.flatMap(({ examples = {} }) => locationsIn(examples)),
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

/*
 * Schemas of an OpenAPI document that others consist of: what several objects have in common, and enumerations, of which
 * generators of clients make a type each.
 */

type Schema = Record<string, unknown>

interface ObjectSchema extends Schema {
  properties?: Record<string, unknown>
  required?: string[]
  allOf?: object[]
}

interface Operation {
  operationId?: string
  parameters?: { name: string; schema: Schema }[]
  responses?: Record<string, { headers?: Schema }>
}

/** Objects that have many properties in common: the name of what these are, its description, and which they are. */
const FAMILIES: [name: string, description: string, members: RegExp][] = [
  ['CampaignBase', 'What a campaign has in lists and in its detail.', /^Campaign(ListItem|Detail)$/],
  ['TokenIncentive', 'What every incentive that pays a token has.', /^ERC20\w*Incentive(V2)?$/],
  [
    'CriteriaIncentive',
    'What every incentive has whose reward depends on the action.',
    /^ERC20\w*CriteriaIncentive(V2)?$/,
  ],
  [
    'PeggedIncentive',
    'What every incentive has whose reward follows the price of another asset.',
    /^ERC20Pegged\w*Incentive(V2)?$/,
  ],
  ['AmountSource', 'Where an amount is read from.', /^Criteria(WithValueType)?$/],
  ['Finding', 'Whether an account can claim an incentive.', /^(IncentiveEligibility|Reward)$/],
  ['ClaimedSum', 'What was claimed of a token.', /^Reward(Total)?$/],
  ['OfIncentive', 'Which incentive it is of.', /^(Claim|Reward)$/],
  ['TokenFacts', 'What is known of every token.', /^(TokenMetadata|ListedToken)$/],
]

/** Moves what all members of a family have alike into a schema that each of them includes. */
export function shareProperties(schemas: Record<string, ObjectSchema>) {
  for (const [family, description, members] of FAMILIES) {
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

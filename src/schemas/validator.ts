import {
  _,
  Ajv2020,
  type ErrorObject,
  type KeywordCxt,
  Name,
  type SchemaObject,
  type ValidateFunction,
} from 'ajv/dist/2020.js'
import { Type } from 'ajv/dist/compile/util.js'
import addFormats from 'ajv-formats'
import { nearestName } from './parameters/nearest-name.ts'
import { isCursor } from './parameters/shared-parameters.ts'
import { LAST_TIMESTAMP, MAX_SAFE_INTEGER } from './primitives.ts'
import { truncate } from './texts.ts'

const UINT256_END = 2n ** 256n

/**
 * The one validator of the service, for requests and for imported records alike. It changes a value in one way only:
 * `x-lower-case` strings become lower-case. It coerces nothing, fills in nothing and drops nothing.
 * @param options.maxFaults of so many faults on, the rest of a list is not looked at; without it all faults are found.
 */
export function createValidator(named: readonly SchemaObject[], options: { maxFaults?: number } = {}) {
  const ajv = new Ajv2020({
    allErrors: true,
    discriminator: true,
    verbose: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    // The schemas are all our own, and the tests look at them: at each start that would take as long as all of these do.
    meta: false,
    validateSchema: false,
  })
  addFormats.default(ajv, ['date-time'])
  // As PostgreSQL reads it and the document promises it: not as a URN, which ajv-formats takes too.
  ajv.addFormat('uuid', /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i)
  // Below 78 digits every number fits: only the longest need arithmetic.
  ajv.addFormat('uint256', (value: string) => value.length < 78 || BigInt(value) < UINT256_END)
  ajv.addFormat('unix-seconds', (value: string) => Number(value) <= LAST_TIMESTAMP)
  ajv.addFormat('cursor', isCursor)
  ajv.addFormat('chain-first', (value: string) => Number.parseInt(value, 10) <= MAX_SAFE_INTEGER)
  ajv.addKeyword({
    keyword: 'x-lower-case',
    type: 'string',
    schemaType: 'boolean',
    modifying: true,
    validate: (
      _isOn: boolean,
      value: string,
      _schema: unknown,
      at?: { parentData: Record<string | number, unknown>; parentDataProperty: string | number },
    ) => {
      if (at !== undefined) at.parentData[at.parentDataProperty] = value.toLowerCase()
      return true
    },
  })
  ajv.addKeyword({
    keyword: 'x-forbidden-characters',
    type: 'string',
    schemaType: 'string',
    validate: (forbidden: string, value: string) => charactersIn(value, forbidden).length === 0,
  })
  ajv.addKeyword({
    keyword: 'x-json-maximum',
    type: 'number',
    schemaType: 'number',
    validate: (maximum: number, value: number, _schema: unknown, at?: { parentData: Record<string, unknown> }) =>
      value <= maximum || at?.parentData.format === 'csv',
  })
  ajv.addVocabulary([
    'x-expected',
    'x-any-case',
    'x-not-with',
    'x-default-later',
    'x-suggested',
    'x-enum-varnames',
    'style',
    'explode',
  ])
  if (options.maxFaults !== undefined) boundItems(ajv, options.maxFaults)
  for (const schema of named) ajv.addSchema(schema)
  return ajv
}

export type Validator = ReturnType<typeof createValidator>
export type { ErrorObject, ValidateFunction }

/** The forbidden characters that a text contains. */
const charactersIn = (value: string, characters: string) => [...characters].filter((one) => value.includes(one))

/** What is wrong with one value, without its name: "must be …, got …". */
export function describeFault(error: ErrorObject): string {
  const schema: Record<string, unknown> = error.parentSchema ?? {}
  const expected = typeof schema['x-expected'] === 'string' ? schema['x-expected'] : undefined
  switch (error.keyword) {
    case 'required':
      return `lacks the key ${JSON.stringify(error.params.missingProperty)}`
    case 'additionalProperties':
      return `has the unknown key ${JSON.stringify(error.params.additionalProperty)}`
    case 'x-forbidden-characters': {
      const found = charactersIn(String(error.data), String(error.schema))
      return `must not contain any of ${[...String(error.schema)].join(' ')}, found ${found.join(' ')}`
    }
    case 'maxItems':
      return `must have at most ${error.params.limit} entries`
    case 'minItems':
      return `must have at least ${error.params.limit} entries`
  }
  return `must be ${expected ?? describeSchema(schema)}, got ${quote(error.data)}${suggestion(schema, error.data)}`
}

function suggestion(schema: Record<string, unknown>, value: unknown) {
  if (schema['x-suggested'] !== true || !Array.isArray(schema.enum)) return ''
  const nearest = nearestName(String(value), schema.enum.map(String))
  return nearest === undefined ? '' : `, did you mean ${nearest}?`
}

function describeSchema(schema: Record<string, unknown>): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.map(String).join(', ')}`
  const types = [schema.type].flat().filter((type) => type !== 'null')
  if (types.includes('boolean')) return 'true or false'
  if (types.includes('integer') || types.includes('number')) {
    const number = types.includes('integer') ? 'an integer' : 'a number'
    if (schema.maximum === undefined) return schema.minimum === undefined ? number : `${number} from ${schema.minimum}`
    return `${number} from ${schema.minimum ?? 0} to ${schema.maximum}`
  }
  if (schema.format === 'uuid') return 'a UUID'
  if (schema.format === 'date-time') return 'an ISO 8601 instant'
  if (schema.maxLength !== undefined) return `text of at most ${schema.maxLength} characters`
  return types.length === 1 ? `${/^[aeiou]/.test(String(types[0])) ? 'an' : 'a'} ${types[0]}` : 'of another kind'
}

const MAX_QUOTED = 78

/** A value as it was given, short enough for a sentence. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(truncate(value, MAX_QUOTED))
  return truncate(JSON.stringify(value) ?? String(value), MAX_QUOTED)
}

/** The variable that counts faults in generated code. */
const faults = new Name('errors')

/**
 * Makes a validator stop at a number of faults in a list; the original would find all, and a list of a million faulty
 * entries would fill the memory.
 */
function boundItems(ajv: Ajv2020, maxFaults: number) {
  ajv.removeKeyword('items')
  ajv.addKeyword({
    keyword: 'items',
    type: 'array',
    schemaType: ['object', 'boolean'],
    before: 'uniqueItems',
    code(context: KeywordCxt) {
      const { gen, data } = context
      const areValid = gen.let('areValid', true)
      const isValid = gen.name('isValid')
      gen.forRange('index', 0, _`${data}.length`, (index) => {
        context.subschema({ keyword: 'items', dataProp: index, dataPropType: Type.Num }, isValid)
        gen.if(_`!${isValid}`, () => {
          gen.assign(areValid, false)
          gen.if(_`${faults} >= ${maxFaults}`, () => gen.break())
        })
      })
      context.ok(areValid)
    },
  })
}

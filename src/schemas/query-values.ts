import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/*
 * Schemas of the values a query string can hold. They describe the value after it was read: http/query-strings.ts turns
 * the text of the request into it, and the validator checks it against the schema.
 */

/** The parameters of one operation. None is ever required; those with a default are always there once it is read. */
export const queryOf = <Properties extends TProperties>(
  properties: Properties,
  dependentRequired: Partial<Record<keyof Properties, (keyof Properties)[]>> = {},
) => {
  const { required: _, ...schema } = Type.Object(properties, {
    additionalProperties: false,
    dependentRequired,
    // How OpenAPI says that lists are written `a,b,c`: the shorter of the two spellings that are understood.
    style: 'form',
    explode: false,
  })
  return Type.Unsafe<Static<TObject<Properties>>>(schema)
}

interface IntegerOptions {
  minimum?: number
  maximum: number
  description: string
}

const integer = (options: IntegerOptions & { default?: number }) =>
  Type.Unsafe<number>({ type: ['integer', 'null'], minimum: 0, ...options })

/** Decimal digits; an empty value and the word `null` mean the default. */
export const integerWithDefault = (options: IntegerOptions & { default: number }) => integer(options)

/** Decimal digits; an empty value and the word `null` are as if the parameter were absent. */
export const optionalInteger = (options: IntegerOptions) => Type.Optional(integer(options))

/** `true` or `false`; an empty value and the word `null` mean the default. */
export const booleanOrNull = (options: { default: boolean; description: string }) =>
  Type.Unsafe<boolean>({ type: ['boolean', 'null'], ...options })

/** `true` or `false`, nothing else. */
export const flag = (options: { default: boolean; description: string }) =>
  Type.Unsafe<boolean>({ type: 'boolean', ...options })

/** One of a few lower-case words. */
export const choice = <const Words extends readonly string[]>(
  words: Words,
  options: { default: Words[number]; description: string },
) => Type.Unsafe<Words[number]>({ type: 'string', enum: words, ...options })

/** One of a few lower-case words, or nothing. */
export const optionalChoice = <const Words extends readonly string[]>(words: Words, options: { description: string }) =>
  Type.Optional(Type.Unsafe<Words[number]>({ type: 'string', enum: words, ...options }))

/** Entries separated by commas or each given by itself: trimmed, duplicates dropped, at most 100. */
export const commaSeparated = <Item extends TSchema>(item: Item, description: string) =>
  Type.Optional(
    Type.Array(item, {
      maxItems: 100,
      description: `${description} Comma-separated, or given several times; at most 100 entries.`,
    }),
  )

/** A name of 1 to 128 characters. */
export const name128 = (description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: 128,
    'x-expected': 'text of 1 to 128 characters',
    ...(description === undefined ? {} : { description }),
  })

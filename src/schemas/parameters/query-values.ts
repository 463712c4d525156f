import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/*
 * Schemas of the values in a query string. They describe parsed values: http/query-strings.ts parses the text of the
 * request, and the validator checks the result.
 */

/** The parameters of one operation; those with a default are always present after parsing. */
export const queryOf = <Properties extends TProperties>(
  properties: Properties,
  dependentRequired: Partial<Record<keyof Properties, (keyof Properties)[]>> = {},
  required: readonly (keyof Properties)[] = [],
) => {
  const { required: _, ...schema } = Type.Object(properties, {
    additionalProperties: false,
    dependentRequired,
    // The OpenAPI style for lists written `a,b,c`: the shorter of the two accepted forms.
    style: 'form',
    explode: false,
  })
  return Type.Unsafe<Static<TObject<Properties>>>(required.length === 0 ? schema : { ...schema, required })
}

/**
 * A parameter has a description, and an example that matches something in the sample data: without one where it is
 * refused beside the examples of others. `notWith` names a parameter that is refused beside it.
 */
interface Documented<Value> {
  description: string
  example?: Value
  default?: Value
  notWith?: string
}
type WithDefault<Value> = Documented<Value> & { default: Value }

const parameter = <Value>(rules: object, { description, example, notWith, ...options }: Documented<Value>) =>
  Type.Unsafe<Value>({
    ...{ ...rules, ...options, description },
    ...(example !== undefined && { examples: [example] }),
    ...(notWith !== undefined && { 'x-not-with': notWith }),
  })

interface Bounds {
  minimum?: number
  maximum: number
}

const integer = ({ minimum = 0, maximum, ...options }: Documented<number> & Bounds) =>
  parameter<number>({ type: ['integer', 'null'], minimum, maximum }, options)

/** Decimal digits; an empty value and the word `null` mean the default. */
export const integerWithDefault = (options: WithDefault<number> & Bounds) => integer(options)

/** Decimal digits; an empty value and the word `null` count as absent. */
export const optionalInteger = (options: Documented<number> & Bounds) => Type.Optional(integer(options))

/** `true` or `false`; an empty value and the word `null` mean the default. */
export const booleanOrNull = (options: WithDefault<boolean>) =>
  parameter<boolean>({ type: ['boolean', 'null'] }, options)

/** `true` or `false`; an empty value and the word `null` count as absent. */
export const optionalBoolean = (options: Documented<boolean>) =>
  Type.Optional(parameter<boolean>({ type: ['boolean', 'null'] }, options))

/** `true` or `false`, nothing else. */
export const flag = (options: WithDefault<boolean>) => parameter<boolean>({ type: 'boolean' }, options)

/** One of a few lower-case words. */
export const choice = <const Words extends readonly string[]>(words: Words, options: WithDefault<Words[number]>) =>
  parameter<Words[number]>({ type: 'string', enum: words }, options)

/** One of a few words, which may be written in any case. */
export const choiceInAnyCase = <const Words extends readonly string[]>(
  words: Words,
  options: WithDefault<Words[number]>,
) => Type.Unsafe<Words[number]>({ ...choice(words, options), 'x-any-case': true, 'x-expected': words.join(' or ') })

/** One of a few lower-case words, or nothing. */
export const optionalChoice = <const Words extends readonly string[]>(
  words: Words,
  options: Documented<Words[number]>,
) => Type.Optional(parameter<Words[number]>({ type: 'string', enum: words }, options))

/**
 * Entries separated by commas or in repeated parameters: trimmed, without duplicates, at most 100 or the given number.
 */
export const commaSeparated = <Item extends TSchema>(
  item: Item,
  { description, example, max = 100 }: { description: string; example: Static<Item>; max?: number },
) => Type.Optional(Type.Array(item, { maxItems: max, description, examples: [[example]] }))

/** An entry of a list that is one of some words; the error about another one names the nearest. */
export const oneOf = <const Words extends readonly string[]>(words: Words, options: { isAnyCase?: boolean } = {}) =>
  Type.Unsafe<Words[number]>({
    type: 'string',
    enum: words,
    'x-suggested': true,
    ...(options.isAnyCase && { 'x-any-case': true }),
  })

/** A selection of an object's top-level keys. */
export const fieldsOf = ({ properties }: TObject, example: string) => {
  const names = Object.keys(properties)
  return commaSeparated(oneOf(names), {
    description: 'Only these top-level keys; even required others are absent.',
    example,
  })
}

/** A name of 1 to 128 characters. */
export const name128 = (description?: string) =>
  Type.String({
    ...{ minLength: 1, maxLength: 128, 'x-expected': 'text of 1 to 128 characters' },
    ...(description !== undefined && { description }),
  })

/** A parameter that takes a name of 1 to 128 characters. */
export const optionalName = (options: Documented<string>) => Type.Optional(parameter<string>(name128(), options))

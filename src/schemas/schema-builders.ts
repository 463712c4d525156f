import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** An object within another one: it has no name, and no other properties. */
export const closed = <Properties extends TProperties>(description: string, properties: Properties) =>
  Type.Object(properties, { additionalProperties: false, description })

/** An object that is a component of the OpenAPI document, by its name. It has no other properties. */
export const component = <Properties extends TProperties>(name: string, description: string, properties: Properties) =>
  Type.Object(properties, { $id: name, additionalProperties: false, description })

/**
 * A `$ref` to a named schema that keeps the static type of its target, so that the OpenAPI document gets a named
 * component and a handler still cannot return the wrong shape. A description is wrapped around the `$ref`, since
 * @fastify/swagger removes siblings of a `$ref`; the published document has them side by side again.
 */
export const ref = <T extends TSchema>(schema: T, description?: string) => {
  if (schema.$id === undefined) throw new TypeError('only a schema with an $id can be referred to')
  const reference = Type.Ref(schema.$id)
  return Type.Unsafe<Static<T>>(description === undefined ? reference : { description, allOf: [reference] })
}

/** A copy of a named schema with its own description and example: parameters lose the siblings of a `$ref`. */
export const inline = <T extends TSchema>(
  { $id: _, examples: __, ...schema }: T,
  { description, example }: { description: string; example?: Static<T> },
) => Type.Unsafe<Static<T>>({ ...schema, description, ...(example !== undefined && { examples: [example] }) })

/** A parameter with the rules of a named schema, which may be absent. */
export const optional = <T extends TSchema>(schema: T, documented: { description: string; example?: Static<T> }) =>
  Type.Optional(inline(schema, documented))

/** A reference in a field that may also be `null`. */
export const refOrNull = <T extends TSchema>(schema: T, description?: string) =>
  Type.Unsafe<Static<T> | null>({
    anyOf: [ref(schema), { type: 'null' }],
    ...(description !== undefined && { description }),
  })

/** A list of objects that are components. */
export const listOf = <T extends TSchema>(schema: T, maxItems: number, description: string) =>
  Type.Array(ref(schema), { maxItems, description })

/** A string or `null`. */
export const stringOrNull = (description: string, { maxLength = 4096 } = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, description })

/*
 * Integers with a meaning, which descriptions list. Their names are also where client generators expect them
 * (`x-enum-varnames`).
 */

/** The name of each number, from 0 on, and its meaning. */
type Names = Readonly<Record<string, string>>

const numbersOf = (names: Names) => ({
  type: 'integer',
  enum: Object.keys(names).map((_, number) => number),
  'x-enum-varnames': Object.keys(names),
})

/** The part of a description that lists the names, with their meaning unless a name says it. */
const listed = (names: Names) =>
  Object.entries(names)
    .map(([name, meaning], number) => {
      const isRedundant = meaning === name.toLowerCase().replaceAll('_', ' ')
      return isRedundant ? `${number} ${name}` : `${number} ${name} (${meaning})`
    })
    .join(', ')

/** One of two numbers. */
export const zeroOrOne = (description: string, names: Names) =>
  Type.Unsafe<0 | 1>({ ...numbersOf(names), description: `${description}: ${listed(names)}.` })

/** One of a few words. */
export const word = <const Words extends readonly string[]>(
  words: Words,
  description: string,
  options: { $id?: string } = {},
) => Type.Unsafe<Words[number]>({ type: 'string', enum: words, description, ...options })

/** One of a few words or `null`; `null` is outside the enumeration, because client generators cannot name it. */
export const wordOrNull = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Unsafe<Words[number] | null>({ anyOf: [{ type: 'string', enum: words }, { type: 'null' }], description })

/** Numbers with names; unknown numbers are stored and served unchanged. */
export const openEnumeration = (description: string, names: Names) =>
  Type.Unsafe<number>({
    anyOf: [
      { ...numbersOf(names), 'x-expected': 'an integer' },
      { type: 'integer', description: 'Any other number.', 'x-expected': 'an integer' },
    ],
    description: `${description}: ${listed(names)}. Other values are returned as recorded.`,
  })

import { Type } from '@sinclair/typebox'

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

export const actionCategories = [
  'defi',
  'nft',
  'gaming',
  'social',
  'bridge',
  'governance',
  'payments',
  'other',
] as const

/** One of a few words. */
export const word = <const Words extends readonly string[]>(
  words: Words,
  description: string,
  options: { $id?: string } = {},
) => Type.Unsafe<Words[number]>({ type: 'string', enum: words, description, ...options })

/** One of a few words or `null`; `null` is outside the enumeration, because client generators cannot name it. */
export const wordOrNull = (words: readonly string[], description: string) =>
  Type.Unsafe<string | null>({ anyOf: [{ type: 'string', enum: words }, { type: 'null' }], description })

/** Numbers with names; unknown numbers are stored and served unchanged. */
export const openEnumeration = (description: string, names: Names) =>
  Type.Unsafe<number>({
    anyOf: [
      { ...numbersOf(names), 'x-expected': 'an integer' },
      { type: 'integer', description: 'Any other number.', 'x-expected': 'an integer' },
    ],
    description: `${description}: ${listed(names)}. Other values are returned as recorded.`,
  })

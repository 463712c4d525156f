import { Type } from '@sinclair/typebox'

/** Limits of search text. Some of the excluded characters have a meaning in other search languages. */
export const searchBounds = { minLength: 1, maxLength: 128, 'x-forbidden-characters': ":&|'!()<>" } as const

/** Search text with at least one word. */
export const searchText = (description: string, example: string) =>
  Type.String({
    ...searchBounds,
    pattern: '\\S',
    description,
    examples: [example],
    'x-expected': 'text of 1 to 128 characters, not only white space',
  })

const MARKS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]/g

/** The words of a search, split as the database splits them (see the function `word_form`). */
export const toSearchWords = (search: string): string[] => [
  ...new Set(
    search
      .normalize('NFKD')
      .replace(MARKS, '')
      .split(/\s+/u)
      .filter((word) => word !== ''),
  ),
]

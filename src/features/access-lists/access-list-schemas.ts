import { type Static, Type } from '@sinclair/typebox'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { choiceInAnyCase, optionalChoice, optionalName, queryOf } from '../../schemas/parameters/query-values.ts'
import { searchBounds } from '../../schemas/parameters/search-words.ts'
import { Instant, text, wholeNumber } from '../../schemas/primitives.ts'
import { component, listOf, ref } from '../../schemas/schema-builders.ts'

/** Maximum number of lists in a response; `x-total-count` has the number of all. */
export const MAX_ACCESS_LISTS = 1000

export const ListAccessListsQuery = queryOf({
  userId: optionalName({
    description:
      'Default: the user of the token. Only an admin token may name another, and must name one. Case-sensitive.',
    example: parameterExamples.accessListsOf,
  }),
  search: Type.Optional(
    Type.String({
      ...searchBounds,
      'x-expected': 'text of 1 to 128 characters',
      description:
        "Words: each must start a word of the name, without case and accents. Not allowed: the characters `: & | ' ! ( ) < >`.",
      examples: [parameterExamples.wordsOfAccessList],
    }),
  ),
  sortBy: optionalChoice(['totalMembers'], {
    description: '`totalMembers`: by number of members. Default: by creation time. Ties: by ID.',
    example: 'totalMembers',
  }),
  orderBy: choiceInAnyCase(['ASC', 'DESC'], {
    default: 'DESC',
    description: 'In any case. `DESC`: most members, or newest, first.',
    example: 'DESC',
  }),
})
export type ListAccessListsQuery = Static<typeof ListAccessListsQuery>

const AccessListItem = component('AccessListItem', 'A list of addresses that belongs to a user.', {
  id: text('ID of the list.', { maxLength: 128 }),
  name: text('Name of the list.'),
  memberCount: wholeNumber('Number of addresses on the list, exact.'),
  createdAt: ref(Instant, 'When the list was created.'),
  icon: text('URI of the icon; empty if there is none.'),
})

export const ListAccessListsResponse = component('ListAccessListsResponse', 'Access lists of a user.', {
  accesslists: listOf(AccessListItem, MAX_ACCESS_LISTS, 'The matching lists of the user, at most 1,000.'),
})
export type ListAccessListsResponse = Static<typeof ListAccessListsResponse>

export const accessListSchemas = [AccessListItem, ListAccessListsResponse]

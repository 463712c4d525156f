import { type Static, Type } from '@sinclair/typebox'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { queryOf } from '../../schemas/parameters/query-values.ts'
import { Address, BaseUnits, Instant } from '../../schemas/primitives.ts'
import { closed, component, optional, ref, word } from '../../schemas/schema-builders.ts'

export const GetUserProfileQuery = queryOf({
  user: optional(Address, {
    description:
      'Account whose profile is returned; default: the address of the token. Only an admin token may name another.',
    example: parameterExamples.claimant,
  }),
})

export const UserProfile = component('UserProfile', 'Score, rank and streak of a user.', {
  ethEarned: ref(BaseUnits, 'Total the user has earned, in wei: 10^18 wei are 1 ETH.'),
  score: Type.Number({ description: 'Score of the user, in points.' }),
  ranking: Type.Integer({
    minimum: 1,
    description: 'Rank by score: 1 plus the number of profiles with a higher score.',
  }),
  streak: closed('How regularly the user participates.', {
    value: Type.Number({
      description: 'Length of the streak, a number as recorded.',
    }),
    status: word(
      ['active', 'pending', 'broken'],
      'Now. `active`: completed in the current window. `pending`: not completed, the window is open. `broken`: the window has closed.',
    ),
    lastExpirationTime: ref(Instant, 'When the last window closed and the current one opened.'),
    nextExpirationTime: ref(Instant, 'When the current window closes.'),
    lastCompletionTime: ref(Instant, 'When the user last completed an action.'),
  }),
})
export type UserProfile = Static<typeof UserProfile>

export const profileSchemas = [UserProfile]

import { type Static, Type } from '@sinclair/typebox'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { queryOf } from '../../schemas/parameters/query-values.ts'
import { Address, BaseUnits, Instant } from '../../schemas/primitives.ts'
import { inline, ref } from '../../schemas/references.ts'

export const GetUserProfileQuery = queryOf({
  user: Type.Optional(
    inline(Address, {
      description:
        'Account whose profile is returned; default: the address of the token. Only an admin token may name another.',
      example: parameterExamples.claimant,
    }),
  ),
})

export const UserProfile = Type.Object(
  {
    ethEarned: ref(BaseUnits, { description: 'Total the user has earned, in wei: 10^18 wei are 1 ETH.' }),
    score: Type.Number({ description: 'Score of the user, in points.' }),
    ranking: Type.Integer({
      minimum: 1,
      description: 'Rank by score: 1 plus the number of profiles with a higher score.',
    }),
    streak: Type.Object(
      {
        value: Type.Number({
          description: 'Length of the streak, a number as recorded.',
        }),
        status: Type.Unsafe<'active' | 'pending' | 'broken'>({
          type: 'string',
          enum: ['active', 'pending', 'broken'],
          description:
            'Now. `active`: completed in the current window. `pending`: not completed, the window is open. `broken`: the window has closed.',
        }),
        lastExpirationTime: ref(Instant, { description: 'When the last window closed and the current one opened.' }),
        nextExpirationTime: ref(Instant, { description: 'When the current window closes.' }),
        lastCompletionTime: ref(Instant, { description: 'When the user last completed an action.' }),
      },
      { additionalProperties: false, description: 'How regularly the user participates.' },
    ),
  },
  { $id: 'UserProfile', additionalProperties: false, description: 'Score, rank and streak of a user.' },
)
export type UserProfile = Static<typeof UserProfile>

/** The components that this feature adds to the OpenAPI document. */
export const profileSchemas = [UserProfile]

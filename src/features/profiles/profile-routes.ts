import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Credential } from '../../database/lookups/credentials.ts'
import { ForbiddenError, InvalidParameterError, NotFoundError } from '../../http/request/errors/errors.ts'
import { protectedResponsesOf } from '../../http/request/responses.ts'
import { credentialOf } from '../../http/security/authentication.ts'
import type { ProfileRepository } from './profile-repository.ts'
import { GetUserProfileQuery, UserProfile } from './profile-schemas.ts'

const example: UserProfile = {
  ethEarned: '1250000000000000000',
  score: 1840.5,
  ranking: 12,
  streak: {
    value: 9,
    status: 'active',
    lastExpirationTime: '2026-01-31T00:00:00.000Z',
    nextExpirationTime: '2026-02-01T00:00:00.000Z',
    lastCompletionTime: '2026-01-31T12:00:00.000Z',
  },
}

const brokenExample: UserProfile = {
  ethEarned: '12322424000000000',
  score: 43,
  ranking: 717,
  streak: {
    value: 0,
    status: 'broken',
    lastExpirationTime: '2026-01-05T16:50:16.000Z',
    nextExpirationTime: '2026-01-12T16:50:16.000Z',
    lastCompletionTime: '2025-12-30T08:36:53.000Z',
  },
}

const getUserProfile = {
  operationId: 'getUserProfile',
  summary: 'Get a user profile',
  description: 'What a user has earned, with score, rank and streak.',
  tags: ['Users'],
  querystring: GetUserProfileQuery,
  response: protectedResponsesOf(
    {
      description: 'The profile.',
      schema: UserProfile,
      example,
      otherExamples: { broken: ['/users/profile', brokenExample] },
    },
    {
      400: 'user is missing: the token has no address of its own',
      403: 'user names another account than the token does',
      404: 'there is no profile of 0x0000000000000000000000000000000000000001',
    },
  ),
}

export const profileRoutes: FastifyPluginAsyncTypebox<{ profiles: ProfileRepository }> = async (app, { profiles }) => {
  app.get('/users/profile', { schema: getUserProfile }, async (request) => {
    const address = toAddress(request.query.user, credentialOf(request))
    const profile = await profiles.find(address)
    if (profile === undefined) throw new NotFoundError(`there is no profile of ${address}`)
    return profile
  })
}

/** Whose profile is meant, and may be seen. */
function toAddress(requested: string | undefined, { address, isAdmin }: Credential): string {
  if (requested !== undefined && requested !== address && !isAdmin) {
    throw new ForbiddenError('user names another account than the token does')
  }
  const meant = requested ?? address
  if (meant === null) {
    throw new InvalidParameterError('user', 'user is missing: the token has no address of its own', 'missing')
  }
  return meant
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ForbiddenError,
  InvalidParameterError,
  NotFoundError,
} from 'reward-campaigns-strict-http/request/errors/errors'
import type { Credential } from '../../database/lookups/bearer-tokens.ts'
import { credentialOf } from '../../http/authentication.ts'
import { protectedResponsesOf } from '../../http/responses.ts'
import examples from './profile-examples.json' with { type: 'json' }
import type { ProfileRepository } from './profile-repository.ts'
import { GetUserProfileQuery, UserProfile } from './profile-schemas.ts'

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
      example: examples.active,
      otherExamples: { broken: ['/users/profile', examples.broken] },
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

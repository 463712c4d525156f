import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireBearerToken } from 'reward-campaigns-strict-http/security/bearer-tokens'
import type { RateLimit } from 'reward-campaigns-strict-http/security/rate-limits'
import type { Credential, CredentialStore } from '../database/lookups/bearer-tokens.ts'
import type { ServiceCounts } from '../observability/counters.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set before the handlers of protected operations, null elsewhere. */
    credential: Credential | null
  }
}

/** Admits only requests with the token of a credential, and says of each whose it is. */
export async function requireCredential(
  scope: FastifyInstance,
  credentials: CredentialStore,
  limit: RateLimit,
  counts: ServiceCounts,
) {
  scope.decorateRequest('credential', null)
  await requireBearerToken(scope, {
    realm: 'reward-campaign-service',
    async admit(secret, request) {
      request.credential = (await credentials.find(secret)) ?? null
      return request.credential !== null
    },
    limit,
    onFailure: () => {
      counts.failedTokens += 1
    },
  })
}

/** The caller, in a scope that requires a token. */
export function credentialOf(request: FastifyRequest): Credential {
  if (request.credential === null) throw new TypeError('the route is not protected')
  return request.credential
}

import bearerAuth from '@fastify/bearer-auth'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Credential, CredentialStore } from '../../database/lookups/bearer-tokens.ts'
import type { ServiceCounts } from '../../observability/counters.ts'
import {
  InvalidRequestError,
  InvalidTokenError,
  MissingTokenError,
  TooManyFailedAttemptsError,
} from '../request/errors/errors.ts'
import { countHeaders } from '../request/routing.ts'
import { clientAddressOf } from './client-addresses.ts'
import { type RateLimit, setRateHeaders } from './rate-limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set before the handlers of protected operations, null elsewhere. */
    credential: Credential | null
  }
}

const CHALLENGE = 'Bearer realm="reward-campaign-service"'

/**
 * Admits only requests with a valid bearer token (RFC 6750), before anything else of a request is examined. Unknown,
 * expired and revoked tokens get the same response. Too many failed attempts from one address get 429; a valid token
 * always passes, so clients behind one address do not lock each other out, and a secret of 256 bits cannot be guessed
 * at any rate.
 */
export async function requireBearerToken(
  scope: FastifyInstance,
  credentials: CredentialStore,
  limit: RateLimit,
  counts: ServiceCounts,
) {
  scope.decorateRequest('credential', null)
  await scope.register(bearerAuth, {
    addHook: false,
    keys: new Set<string>(),
    // The scheme is compared without case.
    specCompliance: 'rfc6749',
    verifyErrorLogLevel: 'debug',
    async auth(secret, request) {
      request.credential = (await credentials.find(secret)) ?? null
      return request.credential !== null
    },
  })
  const { verifyBearerAuth } = scope
  if (verifyBearerAuth === undefined) throw new TypeError('the bearer plugin did not register its verifier')

  scope.addHook('onRequest', (request, reply, done) => {
    // Proxies may have read another one than this service would.
    if (countHeaders(request.raw, 'authorization') > 1) {
      done(new InvalidRequestError('the header Authorization must be given once'))
      return
    }
    verifyBearerAuth(request, reply, (error?: Error & { statusCode?: number }) => {
      if (error?.statusCode === 401) done(reject(request, reply, limit, counts))
      else done(error)
    })
  })
  scope.addHook('onSend', (_request, reply, payload, done) => {
    void reply.header('cache-control', 'private, no-store')
    done(null, payload)
  })
}

function reject(request: FastifyRequest, reply: FastifyReply, limit: RateLimit, counts: ServiceCounts) {
  // Like the plugin: any white space may precede the token.
  const wasTokenSent = /^bearer \s*\S/i.test(request.headers.authorization ?? '')
  if (!wasTokenSent) {
    void reply.header('www-authenticate', CHALLENGE)
    return new MissingTokenError()
  }
  counts.failedTokens += 1
  const rate = limit.count(clientAddressOf(request))
  setRateHeaders(reply, limit, rate)
  if (rate.isExceeded) return new TooManyFailedAttemptsError(rate.secondsLeft)
  void reply.header('www-authenticate', `${CHALLENGE}, error="invalid_token"`)
  return new InvalidTokenError()
}

/** The caller, in a scope that requires a token. */
export function credentialOf(request: FastifyRequest): Credential {
  if (request.credential === null) throw new TypeError('the route is not protected')
  return request.credential
}

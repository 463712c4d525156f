import bearerAuth from '@fastify/bearer-auth'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  InvalidRequestError,
  InvalidTokenError,
  MissingTokenError,
  TooManyFailedAttemptsError,
} from '../request/errors/errors.ts'
import { countHeaders } from '../request/routing.ts'
import { clientAddressOf } from './client-addresses.ts'
import { type RateLimit, setRateHeaders } from './rate-limits.ts'

export interface BearerOptions {
  /** What the tokens are for (RFC 9110 §11.5). */
  realm: string
  /** Whether a token is valid. */
  admit: (secret: string, request: FastifyRequest) => Promise<boolean>
  /** How many invalid tokens an address may send. */
  limit: RateLimit
  /** Called for each invalid token. */
  onFailure?: () => void
}

/**
 * Admits only requests with a valid bearer token (RFC 6750), before anything else of a request is examined. Unknown,
 * expired and revoked tokens get the same response. Too many failed attempts from one address get 429; a valid token
 * always passes, so clients behind one address do not lock each other out, and a secret of 256 bits cannot be guessed
 * at any rate.
 */
export async function requireBearerToken(scope: FastifyInstance, options: BearerOptions) {
  await scope.register(bearerAuth, {
    addHook: false,
    keys: new Set<string>(),
    // The scheme is compared without case.
    specCompliance: 'rfc6749',
    verifyErrorLogLevel: 'debug',
    auth: options.admit,
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
      if (error?.statusCode === 401) done(reject(request, reply, options))
      else done(error)
    })
  })
  scope.addHook('onSend', (_request, reply, payload, done) => {
    void reply.header('cache-control', 'private, no-store')
    done(null, payload)
  })
}

function reject(request: FastifyRequest, reply: FastifyReply, { realm, limit, onFailure }: BearerOptions) {
  const challenge = `Bearer realm="${realm}"`
  // Like the plugin: any white space may precede the token.
  const wasTokenSent = /^bearer \s*\S/i.test(request.headers.authorization ?? '')
  if (!wasTokenSent) {
    void reply.header('www-authenticate', challenge)
    return new MissingTokenError()
  }
  onFailure?.()
  const rate = limit.count(clientAddressOf(request))
  setRateHeaders(reply, limit, rate)
  if (rate.isExceeded) return new TooManyFailedAttemptsError(rate.secondsLeft)
  void reply.header('www-authenticate', `${challenge}, error="invalid_token"`)
  return new InvalidTokenError()
}

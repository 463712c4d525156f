import type { FastifyInstance } from 'fastify'
import { createRepresentations, toContent } from 'reward-campaigns-strict-http/content/representations'
import { toRelativeUrl, toServiceUrl } from 'reward-campaigns-strict-http/relative-links'
import { serviceBaseUrl, serviceLinksOf } from '../../http/service-links.ts'

const CATALOG_PATH = '/.well-known/api-catalog'
const CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** RFC 9116 recommends less than a year; the date in the file is renewed each day. */
const EXPIRES_DAYS = 180
const DAY_MS = 86_400_000

interface WellKnownSettings {
  SURFACES: readonly string[]
  PUBLIC_BASE_URL: string
  STAGING_BASE_URL: string
  SECURITY_CONTACT?: string | undefined
}

/** Discovery documents: the API catalog (RFC 9727) and `security.txt` (RFC 9116). */
export function serveWellKnown(app: FastifyInstance, settings: WellKnownSettings, now: () => Date) {
  const hidden = { schema: { hide: true } }
  const representations = createRepresentations('public, no-cache', { isLasting: true })
  const catalog = toContent(JSON.stringify(toCatalog(settings)), CATALOG_TYPE)
  app.get(CATALOG_PATH, hidden, async (request, reply) => {
    void reply.header('link', `<${toRelativeUrl(CATALOG_PATH, request.url)}>; rel="api-catalog"`)
    await representations.send(request, reply, catalog)
    return reply
  })

  const { SECURITY_CONTACT: contact } = settings
  if (contact === undefined) return
  app.get('/.well-known/security.txt', hidden, async (request, reply) => {
    const today = Math.floor(now().getTime() / DAY_MS)
    const expires = new Date((today + EXPIRES_DAYS) * DAY_MS).toISOString()
    const text = `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\n`
    await representations.send(request, reply, toContent(text, 'text/plain; charset=utf-8'))
    return reply
  })
}

/** The linkset (RFC 9264) of the APIs that are served, each with what describes it. */
function toCatalog(settings: WellKnownSettings) {
  const { SURFACES, PUBLIC_BASE_URL, STAGING_BASE_URL } = settings
  const toUrl = (path: string) => toServiceUrl(serviceBaseUrl(settings), path)
  const links = serviceLinksOf(SURFACES)
  const targetsOf = (wanted: string) =>
    links.filter(({ rel }) => rel === wanted).map(({ path, type }) => ({ href: toUrl(path), type }))
  const described = Object.fromEntries(['service-desc', 'service-doc', 'status'].map((rel) => [rel, targetsOf(rel)]))
  const baseUrls = { public: PUBLIC_BASE_URL, staging: STAGING_BASE_URL }
  const anchors = new Set(
    (['public', 'staging'] as const).filter((surface) => SURFACES.includes(surface)).map((one) => baseUrls[one]),
  )
  return {
    linkset: [
      { anchor: toUrl(CATALOG_PATH), item: [...anchors].map((href) => ({ href })) },
      ...[...anchors].map((anchor) => ({ anchor, ...described })),
    ],
  }
}

/**
 * The URL of a path of the service, for programs that follow it. Where a proxy takes a prefix off, a path alone leads outside: it stands
 * below the base URL of the settings.
 */
export const toServiceUrl = (baseUrl: string, path: string) => `${baseUrl.replace(/\/$/, '')}${path}`

/** The base URL of what belongs to all operations: that of the public ones, where they are served. */
export const serviceBaseUrl = (settings: {
  SURFACES: readonly string[]
  PUBLIC_BASE_URL: string
  STAGING_BASE_URL: string
}) => (settings.SURFACES.includes('public') ? settings.PUBLIC_BASE_URL : settings.STAGING_BASE_URL)

/** A document of the service, and what it is to the service (RFC 8631). */
interface ServiceLink {
  rel: 'service-desc' | 'service-doc' | 'status'
  href: string
  type: string
}

/** What describes the service: its OpenAPI document, its documentation, and how it is. */
export const serviceLinksOf = (surfaces: readonly string[], baseUrl: string): ServiceLink[] =>
  pathsOf(surfaces).map(({ href, ...link }) => ({ ...link, href: toServiceUrl(baseUrl, href) }))

const pathsOf = (surfaces: readonly string[]): ServiceLink[] => [
  { rel: 'service-desc', href: '/openapi.json', type: 'application/json' },
  { rel: 'service-desc', href: '/openapi.yaml', type: 'application/yaml' },
  { rel: 'service-doc', href: '/docs', type: 'text/html' },
  { rel: 'service-doc', href: '/llms.txt', type: 'text/markdown' },
  { rel: 'status', href: surfaces.includes('public') ? '/status' : '/readyz', type: 'application/json' },
]

/** The header `Link` (RFC 8288). */
export const toLinkHeader = (links: ServiceLink[]) =>
  links.map(({ rel, href, type }) => `<${href}>; rel="${rel}"; type="${type}"`).join(', ')

import { toRelativeUrl } from 'reward-campaigns-strict-http/relative-links'

/** The base URL of what belongs to all operations: that of the public ones, where they are served. */
export const serviceBaseUrl = (settings: {
  SURFACES: readonly string[]
  PUBLIC_BASE_URL: string
  STAGING_BASE_URL: string
}) => (settings.SURFACES.includes('public') ? settings.PUBLIC_BASE_URL : settings.STAGING_BASE_URL)

/** A document of the service, and what it is to the service (RFC 8631). */
interface ServiceLink {
  rel: 'service-desc' | 'service-doc' | 'status'
  path: string
  type: string
}

/** What describes the service: its OpenAPI document, its documentation, and how it is. */
export const serviceLinksOf = (surfaces: readonly string[]): ServiceLink[] => [
  { rel: 'service-desc', path: '/openapi.json', type: 'application/json' },
  { rel: 'service-desc', path: '/openapi.yaml', type: 'application/yaml' },
  { rel: 'service-doc', path: '/docs', type: 'text/html' },
  { rel: 'service-doc', path: '/llms.txt', type: 'text/markdown' },
  { rel: 'status', path: surfaces.includes('public') ? '/status' : '/readyz', type: 'application/json' },
]

/** The header `Link` (RFC 8288) of a response to a requested URL. */
export const toLinkHeader = (links: ServiceLink[], url: string) =>
  links.map(({ rel, path, type }) => `<${toRelativeUrl(path, url)}>; rel="${rel}"; type="${type}"`).join(', ')

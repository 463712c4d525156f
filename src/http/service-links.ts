/** A document of the service, and what it is to the service (RFC 8631). */
interface ServiceLink {
  rel: 'service-desc' | 'service-doc' | 'status'
  href: string
  type: string
}

/** What describes the service: its OpenAPI document, its documentation, and how it is. */
export const serviceLinksOf = (surfaces: readonly string[]): ServiceLink[] => [
  { rel: 'service-desc', href: '/openapi.json', type: 'application/json' },
  { rel: 'service-desc', href: '/openapi.yaml', type: 'application/yaml' },
  { rel: 'service-doc', href: '/docs', type: 'text/html' },
  { rel: 'service-doc', href: '/llms.txt', type: 'text/markdown' },
  { rel: 'status', href: surfaces.includes('public') ? '/status' : '/readyz', type: 'application/json' },
]

/** The header `Link` (RFC 8288). */
export const toLinkHeader = (links: ServiceLink[]) =>
  links.map(({ rel, href, type }) => `<${href}>; rel="${rel}"; type="${type}"`).join(', ')

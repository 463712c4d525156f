import { type ApiDocument, isProtected } from './api-document.ts'

/** What a service can serve, in the order of its operations. */
export const SURFACES = [['public'], ['staging'], ['public', 'staging']]

/** In place of the address of a surface, which is a setting of the service. */
const BASE_URLS = { public: '{{PUBLIC_BASE_URL}}', staging: '{{STAGING_BASE_URL}}' }

/** The document of a service that has these surfaces, wherever it serves them. */
export function forSurfaces(document: ApiDocument, surfaces: string[]): ApiDocument {
  const paths = Object.entries(document.paths).flatMap(([path, { get }]): [string, ApiDocument['paths'][string]][] => {
    const surface = get !== undefined && isProtected(get) ? 'staging' : 'public'
    if (get === undefined || !surfaces.includes(surface)) return []
    return [[path, { get: { ...get, servers: [{ url: BASE_URLS[surface] }] } }]]
  })
  return { ...document, paths: Object.fromEntries(paths) }
}

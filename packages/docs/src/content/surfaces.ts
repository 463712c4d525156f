import { pruneComponents } from '../../../strict-http/src/openapi/prune-components.ts'
import { type ApiDocument, isProtected } from './api-document.ts'

/** What the settings of a service leave of it. */
export interface Served {
  /** In the order of their operations. */
  surfaces: readonly string[]
  hasExplorer: boolean
  hasAddressLookups: boolean
}

const YES_OR_NO = [true, false]

/** Everything that a service can serve. */
export const SERVED: Served[] = [['public'], ['staging'], ['public', 'staging']].flatMap((surfaces) =>
  // The rest belongs to the public surface.
  (surfaces.includes('public') ? YES_OR_NO : [false]).flatMap((hasExplorer) =>
    (surfaces.includes('public') ? YES_OR_NO : [true]).map((hasAddressLookups) => ({
      surfaces,
      hasExplorer,
      hasAddressLookups,
    })),
  ),
)

/** The folder of its pages: `public-staging-explorer`. */
export const folderOf = ({ surfaces, hasExplorer, hasAddressLookups }: Served) =>
  [...surfaces, ...(hasExplorer ? ['explorer'] : []), ...(hasAddressLookups ? [] : ['without-lookups'])].join('-')

/** In place of the address of a surface, which is a setting of the service. */
const BASE_URLS = { public: '{{PUBLIC_BASE_URL}}', staging: '{{STAGING_BASE_URL}}' }

/** Operations that show what an address has claimed and can claim. */
const LOOKUPS = ['/eligibility', '/users/{address}/rewards']

/** Guides to them. */
const LOOKUP_GUIDES = ['user-rewards', 'reward-states']

/** Whether a guide is about something that is served. */
export function hasGuide(name: string, { surfaces, hasAddressLookups }: Served) {
  if (name === 'protected-operations') return surfaces.includes('staging')
  return !LOOKUP_GUIDES.includes(name) || (surfaces.includes('public') && hasAddressLookups)
}

/** The document of a service, as it publishes it, wherever it serves its surfaces. */
export function documentOf(document: ApiDocument, { surfaces, hasAddressLookups }: Served): ApiDocument {
  const paths = Object.entries(document.paths).flatMap(([path, { get }]): [string, ApiDocument['paths'][string]][] => {
    const surface = get !== undefined && isProtected(get) ? 'staging' : 'public'
    if (get === undefined || !surfaces.includes(surface)) return []
    if (!hasAddressLookups && LOOKUPS.includes(path)) return []
    return [[path, { get: { ...get, servers: [{ url: BASE_URLS[surface] }] } }]]
  })
  const { webhooks: _, ...rest } = document
  // What `notify` posts are changes.
  const shown = paths.some(([path]) => path === '/changes') ? document : rest
  return pruneComponents({ ...shown, paths: Object.fromEntries(paths) })
}

import { drawnPicture } from './drawn-pictures.ts'

/** The host of the pictures of sample data, which nobody can have (RFC 2606). They are drawn here. */
const SAMPLE_HOST = 'images.example'

/**
 * Where a picture that a record names may be loaded from; undefined where it may not.
 *
 * @param hosts that the operator lets pages load pictures from: `images.com`, `*.images.com`, `images.com:8443`.
 */
export function pictureUrl(uri: string | null | undefined, hosts: readonly string[]): string | undefined {
  if (uri == null || !URL.canParse(uri)) return undefined
  const { protocol, host, href, pathname } = new URL(uri)
  if (protocol !== 'https:') return undefined
  if (hosts.some((allowed) => matches(host, allowed))) return href
  return host === SAMPLE_HOST ? drawnPicture(pathname) : undefined
}

/** As browsers match the sources of a policy: `*.` stands for one label or more. */
const matches = (host: string, allowed: string) =>
  allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed

/** The first of the pictures that may be loaded. */
export function firstPicture(
  uris: readonly (string | null | undefined)[],
  hosts: readonly string[],
): string | undefined {
  return uris.map((uri) => pictureUrl(uri, hosts)).find((url) => url !== undefined)
}

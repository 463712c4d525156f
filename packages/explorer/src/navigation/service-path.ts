/** What a proxy takes off the paths of the service, found from the address of this script: `/rewards/v2`, or nothing. */
export const PREFIX = /^(.*)\/explorer\/assets\/[^/]+$/.exec(new URL(import.meta.url).pathname)?.[1] ?? ''

/** Where a path of the service is for this browser. */
export const servicePath = (path: string) => PREFIX + path

import { compile } from '@fastify/proxy-addr'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/** Maximum number of proxies in a chain; each costs time before anything else of a request is known. */
const MAX_HOPS = 32

/** The trusted proxies. Some add the client's port to the address, which does not identify it. */
export function trustProxies(proxies: string[]) {
  const trusts = compile(proxies)
  return (address: string, hop: number) => hop < MAX_HOPS && trusts(withoutPort(address), hop)
}

/** Headers in which proxies name the client. Only the first is read. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip']

/**
 * Says once in the log that a proxy names clients in vain: it is not trusted, or not by `X-Forwarded-For`. All of them then
 * share the limits of one address. Of the headers, only their names are logged: anybody can send them.
 * @param setting what names the trusted proxies.
 */
export function reportUnknownProxies(
  app: FastifyInstance,
  isProxy: ReturnType<typeof trustProxies> | undefined,
  setting: string,
) {
  let isReported = false
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isReported) {
      const fault = describeUnknownProxy(request, isProxy, setting)
      isReported = fault !== undefined
      if (isReported) request.log.warn(`${fault}: all clients behind it share the limits of one address`)
    }
    done()
  })
}

function describeUnknownProxy(
  { headers, socket }: FastifyRequest,
  isProxy: ReturnType<typeof trustProxies> | undefined,
  setting: string,
) {
  const name = FORWARDING_HEADERS.find((header) => headers[header] !== undefined)
  if (name === undefined) return undefined
  const [address] = networksOf(withoutPort(socket.remoteAddress ?? ''))
  if (isProxy?.(socket.remoteAddress ?? '', 0) !== true)
    return `${name} came from ${address}, which ${setting} does not name`
  return name === FORWARDING_HEADERS[0]
    ? undefined
    : `the proxy at ${address} sends ${name} instead of ${FORWARDING_HEADERS[0]}`
}

/** The address a request comes from, without a port. */
export const clientAddressOf = (request: FastifyRequest) => withoutPort(request.ip)

/** The smallest network that stands for the client of a request. */
export const clientNetworkOf = (request: FastifyRequest) => networksOf(clientAddressOf(request))[0]

/** `192.0.2.1:4711`, `[2001:db8::1]` and `[2001:db8::1]:4711` without brackets and port. */
function withoutPort(address: string) {
  const [, ipv6, ipv4] = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  return ipv6 ?? ipv4 ?? address
}

/**
 * The networks of a client, the smallest first. The owner of an IPv6 address usually has its whole /64, and often a /56
 * of such networks; an IPv4 address may be written as an IPv6 one.
 */
export function networksOf(address: string): [own: string, around?: string] {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return [address]
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return [parsed.toIPv4Address().toString()]
  const [first, second, third, fourth = 0] = parsed.parts
  return [`${[first, second, third, fourth].join(':')}/64`, `${[first, second, third, fourth & 0xff00].join(':')}/56`]
}

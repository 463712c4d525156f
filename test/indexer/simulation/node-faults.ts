import type { startScriptedNode } from './scripted-node.ts'

type Node = Awaited<ReturnType<typeof startScriptedNode>>
export type Interference = Node['interfere']
type Response = Parameters<Interference>[1]

/** Spoils a response by what it is sent in. */
const send =
  (fail: (response: Response) => unknown): Interference =>
  (_, response) => {
    fail(response)
    return true
  }

/** Gives each call the same answer. */
const respondToAll =
  (result: object): Interference =>
  (requests, _, reply) => {
    const responses = requests.map(({ id }) => ({ jsonrpc: '2.0', id, ...result }))
    reply(responses.length === 1 ? responses[0] : responses)
    return true
  }

/** Refuses requests with an error of JSON-RPC. */
const refuse =
  (isRefused: (requests: Node['asked']) => boolean, message: string): Interference =>
  (requests, _, reply) => {
    if (!isRefused(requests)) return false
    const error = { code: -32602, message }
    const responses = requests.map(({ id }) => ({ jsonrpc: '2.0', id, error }))
    reply(responses.length === 1 ? responses[0] : responses)
    return true
  }

const hasTooManyBlocks = (requests: Node['asked'], max: number) =>
  requests.some(({ method, params: [filter] }) => {
    const { fromBlock, toBlock } = { fromBlock: '0x0', toBlock: '0x0', ...Object(filter) }
    return method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= max
  })

/** What a node may do now and then. */
export const passingFaults = {
  'is overloaded': send((response) => response.writeHead(503).end('overloaded')),
  'limits the rate': send((response) => response.writeHead(429, { 'retry-after': '0' }).end()),
  'limits the rate with status 200': respondToAll({ error: { code: -32005, message: 'rate limit' } }),
  'answers with garbage': send((response) => response.end('<html>gateway</html>')),
  'answers another question': respondToAll({ result: { logs: 'none' } }),
  'answers nothing': respondToAll({}),
  'cuts connections': send((response) => response.destroy()),
  'cuts answers short': send(
    (response) => response.writeHead(200, { 'content-length': '99' }).write('[') && response.destroy(),
  ),
  hangs: send(() => undefined),
  redirects: send((response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()),
  'has no blocks': respondToAll({ result: null }),
} satisfies Record<string, Interference>

/** Answers requests of more than so many calls as a provider does that takes no more of them. */
const refuseBatches =
  (maxCalls: number, fail: Interference): Interference =>
  (requests, ...rest) =>
    requests.length > maxCalls && fail(requests, ...rest)

/** What a node may be like. */
export const lastingFaults = {
  'refuses batches': (requests, _, reply) => {
    if (requests.length === 1) return false
    reply({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'too many calls in a batch' } })
    return true
  },
  'refuses batches of more than ten': (requests, _, reply) => {
    if (requests.length <= 10) return false
    reply({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'too many calls in a batch' } })
    return true
  },
  'answers batches of more than three with one error in a list': refuseBatches(3, (_, __, reply) => {
    reply([{ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'batch limit exceeded' } }])
    return true
  }),
  'answers each call of a batch of more than three with the same error': refuseBatches(
    3,
    respondToAll({ error: { code: -32000, message: 'batch limit exceeded' } }),
  ),
  'answers batches of more than three with status 500': refuseBatches(
    3,
    send((response) => response.writeHead(500).end()),
  ),
  'cuts the connection at batches of more than ten': refuseBatches(
    10,
    send((response) => response.destroy()),
  ),
  'limits the rate at batches of more than ten': refuseBatches(
    10,
    send((response) => response.writeHead(429).end()),
  ),
  'limits ranges': refuse((requests) => hasTooManyBlocks(requests, 50), 'query exceeds max block range 50'),
  'searches no logs without addresses': refuse(
    (requests) =>
      requests.some(({ method, params: [filter] }) => method === 'eth_getLogs' && !('address' in Object(filter))),
    'please specify an address in your request',
  ),
} satisfies Record<string, Interference>

/** Spoils every second request, or as said. */
export function everyOther(interference: Interference, every = 2): Interference {
  let count = 0
  return (...asked) => {
    count += 1
    return count % every === 0 && interference(...asked)
  }
}

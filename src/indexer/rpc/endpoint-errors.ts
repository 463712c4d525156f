/** How an endpoint failed; also a label of metrics. */
export type EndpointFault =
  /** Connection lost or refused, or no such host. */
  | 'unreachable'
  | 'timeout'
  | 'rate-limited'
  /** 5xx and other statuses. */
  | 'status'
  /** No JSON-RPC, or not a response to the request. */
  | 'garbage'
  /** It does not know a block that exists. */
  | 'unknown-block'
  /** Its newest block stays the same while another endpoint has newer ones. */
  | 'behind'
  /** It serves another chain. */
  | 'wrong-chain'
  /** Any other JSON-RPC error. */
  | 'refused'

/** A request to which an endpoint did not respond correctly. Contains no text of the endpoint's URL or of its operator. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
  readonly fault: EndpointFault
  /** How long the endpoint asks to be left alone. */
  readonly retryAfterMs: number | undefined
  /** If it refused: not whether smaller requests or requests with addresses would succeed. */
  readonly rejection: Rejection | undefined

  constructor(fault: EndpointFault, message: string, more: { retryAfterMs?: number; rejection?: Rejection } = {}) {
    super(message)
    this.fault = fault
    this.retryAfterMs = more.retryAfterMs
    this.rejection = more.rejection
  }
}

/** What the request could change. */
type Rejection = 'needs-addresses' | 'reverted' | 'other'

/** An error in the form of JSON-RPC. */
export interface RpcError {
  code: number
  message: string
}

const REVERTED = 3
/** Messages of clients: geth, reth and revm, Nethermind, Besu, and their predecessors. */
const reverts =
  /revert|out of gas|opcode|(invalid|bad) jump|stack ?(over|under)flow|bad ?instruction|write protection|static ?call|state ?change|access ?violation|return data out of bounds|gas uint64 overflow|call depth|EVM error|VM (execution )?(error|exception)/i
const rateLimits = /rate.?limit|too many requests|compute units|throughput|capacity|throttl|try again/i
const unknownBlocks =
  /header not found|block.{0,20}not.{0,4}(found|available)|unknown block|missing trie node|no state|not canonical|pruned/i
const wantsAddresses =
  /(specify|require|need|missing|provide|must).{0,40}address|address.{0,40}(require|specif|missing|must)/i

/** The meaning of a JSON-RPC error. Its text is read here and not passed on: it may repeat a key. */
export function toEndpointError({ code, message }: RpcError): EndpointError {
  const summary = `JSON-RPC error ${code}`
  if (code === REVERTED || reverts.test(message))
    return new EndpointError('refused', summary, { rejection: 'reverted' })
  if (unknownBlocks.test(message)) return new EndpointError('unknown-block', summary)
  if (wantsAddresses.test(message)) return new EndpointError('refused', summary, { rejection: 'needs-addresses' })
  if (code === 429 || rateLimits.test(message)) return new EndpointError('rate-limited', summary)
  return new EndpointError('refused', summary, { rejection: 'other' })
}

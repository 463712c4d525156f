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

/**
 * A request to which an endpoint did not respond correctly. What the endpoint says is told without what may be secret: addresses of hosts,
 * hexadecimal, and long words, of which keys are made.
 */
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
type Rejection = 'needs-addresses' | 'too-many-addresses' | 'reverted' | 'other'

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

/** A limit on the addresses of a search of logs, in the words of nodes: which is not a wish for addresses. */
const limitsAddresses =
  /(less|fewer|too many|max(imum)?|exceed|at most|up to|more than|limit).{0,40}address|address.{0,40}(limit|too many|exceed|max|at most|up to|fewer|less|count)/i
const prunedHistory =
  /pruned|(history|historical).{0,60}(not|un)\s?(available|supported|found)|before.{0,30}(earliest|history)/i
const PRUNED_HISTORY = 4444
const limitsOfPlan = /\b(upgrade|plan|tier|subscription|paid|billing|credits?)\b/i

const MAX_WORDS = 160

/** What a node says, without URLs, hosts, hexadecimal and long words. */
export const withoutSecrets = (text: string) =>
  text
    .replace(/\w+:\/\/\S+|\b[\w-]+(\.[\w-]+)+\b(:\d+)?\S*|0x[0-9a-f]*|\b[0-9a-f]{8,}\b|[\w+/=-]{20,}/gi, '…')
    .replace(/[^\x20-\x7e…]+/g, ' ')
    .trim()
    .slice(0, MAX_WORDS)

/** Why a node refuses, in our words where the cause is known, and in its own. */
function toSummary({ code, message }: RpcError) {
  const said = withoutSecrets(message)
  const own = `JSON-RPC error ${code}${said === '' ? '' : `: ${said}`}`
  if (code === PRUNED_HISTORY || prunedHistory.test(message))
    return `has no logs before its history: use an archive endpoint or a later startBlock (${own})`
  if (limitsAddresses.test(message)) return `takes fewer addresses in a search of logs (${own})`
  if (limitsOfPlan.test(message)) return `is limited by the plan of its account (${own})`
  return own
}

/** The meaning of a JSON-RPC error. */
export function toEndpointError({ code, message }: RpcError): EndpointError {
  const summary = toSummary({ code, message })
  if (code === REVERTED || reverts.test(message))
    return new EndpointError('refused', summary, { rejection: 'reverted' })
  if (code === PRUNED_HISTORY || unknownBlocks.test(message)) return new EndpointError('unknown-block', summary)
  if (limitsAddresses.test(message)) return new EndpointError('refused', summary, { rejection: 'too-many-addresses' })
  if (wantsAddresses.test(message)) return new EndpointError('refused', summary, { rejection: 'needs-addresses' })
  if (code === 429 || rateLimits.test(message)) return new EndpointError('rate-limited', summary)
  return new EndpointError('refused', summary, { rejection: 'other' })
}

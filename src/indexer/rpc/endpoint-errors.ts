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

/** A request to which an endpoint did not respond correctly. Contains nothing of the endpoint's URL. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
  readonly fault: EndpointFault
  /** How long the endpoint asks to be left alone. */
  readonly retryAfterMs: number | undefined
  /** What another request of the same kind could change; undefined if none would succeed there. */
  readonly rejection: Rejection | undefined

  constructor(fault: EndpointFault, message: string, more: { retryAfterMs?: number; rejection?: Rejection } = {}) {
    super(message)
    this.fault = fault
    this.retryAfterMs = more.retryAfterMs
    this.rejection = more.rejection
  }
}

type Rejection =
  /** A search of logs has to name contracts. */
  | 'needs-addresses'
  /** A search of logs names too many contracts or topics. */
  | 'too-many-values'
  | 'reverted'
  /** It may be too large in any respect. */
  | 'other'

/** An error in the form of JSON-RPC. */
export interface RpcError {
  code: number
  message: string
  /** As much of the message as may be shown. */
  shown: string
}

/** What a refusal means, and how to say it. */
interface Cause {
  fault: EndpointFault
  rejection?: Rejection
  summary: string
  /** The words of nodes and providers for it. */
  words: RegExp
  codes?: readonly number[]
}

/**
 * The first one that matches counts: providers add advice to a refusal that sounds like another one ("upgrade", "try
 * again"). test/indexer/rpc/refusals.test.ts has the words of each provider.
 */
const causes: readonly Cause[] = [
  {
    // Clients: geth, reth and revm, Nethermind, Besu, and their predecessors.
    ...{ fault: 'refused', rejection: 'reverted', summary: 'has reverted a call', codes: [3] },
    words:
      /revert|out of gas|opcode|(invalid|bad) jump|stack ?(over|under)flow|bad ?instruction|write protection|static ?call|state ?change|access ?violation|return data out of bounds|gas uint64 overflow|call depth|EVM error|VM (execution )?(error|exception)/i,
  },
  {
    fault: 'unknown-block',
    summary: 'does not keep history this old: use an archive endpoint, or a later startBlock',
    codes: [4444],
    words:
      /\bprun|archiv|missing trie node|no state\b|old data|(state|histor(y|ical)|receipts?)\b.{0,30}\b(un|not |n't )available|data before .{0,40}not available|before (the )?earliest|resource (is )?unavailable/i,
  },
  {
    ...{ fault: 'unknown-block', summary: 'does not have a block yet', codes: [-39_001] },
    words:
      /header not found|block.{0,20}not.{0,4}(found|available)|unknown block|not canonical|(beyond|after|above|ahead of) (the )?(current |latest |last )*(head|block|tip)/i,
  },
  {
    ...{ fault: 'refused', rejection: 'other', summary: 'refuses a request that is too large' },
    words:
      /block.{0,3} range|\branges?\b.{0,20}\b(over|exceed|too|limit)|range \d+ exceeds|(more than|exceed\w*|max\w*|at most|too many|limit\w*|greater than|up to)\b.{0,40}\b(blocks?|results?|logs|range|bytes|size|parameters)\b|query returned more|logs matched|(smaller than|response) size|(response|body|payload|entity|query|batch|request|array|result|params?) (is |set )?too (large|big|long|wide)|\bbatch|time(d )?.?out|deadline|took too long/i,
  },
  {
    ...{ fault: 'refused', rejection: 'too-many-values', summary: 'refuses so many addresses or topics in a search' },
    words:
      /(too many|less|fewer|only one|exceed\w*|max\w*|at most|up to|more than|limit\w*)\b.{0,40}(?<!\bIP[ -])\b(address(es)?|topics)\b|\b(addresses|topics)\b.{0,30}(too many|exceed|limit|max|at most|(more|less|fewer) than|<)|multiple address/i,
  },
  {
    ...{ fault: 'refused', rejection: 'needs-addresses', summary: 'requires addresses in searches of logs' },
    words:
      /(specify|require|need|missing|provide|must).{0,40}(?<!\bIP[ -])address|(?<!\bIP[ -])address.{0,40}(require|specif|missing|must)/i,
  },
  {
    ...{ fault: 'rate-limited', summary: 'limits the rate of requests', codes: [429] },
    words:
      /rate.?limit|request rate|too many (requests|concurrent)|compute units|throughput|capacity|throttl|try again|please retry|retry (in|after|later)|requests? (limit|count)|(requests?|calls) per|\/ ?sec|per second|\bRPS\b|quota|credits|overloaded|temporar|healthy/i,
  },
  {
    ...{ fault: 'refused', summary: 'does not serve this method', codes: [-32_601] },
    words: /method.{0,60}(not (found|supported|available|allowed|exist|enabled)|disabled|unavailable|whitelist)/i,
  },
  {
    fault: 'refused',
    summary: 'refuses access: look at its key, and at what its plan includes',
    words:
      /\b(plan|tier|freetier|upgrade|billing|subscri\w+|paid|premium|personal token|dedicated)\b|unauthori[sz]ed|authenticat|api.?key|\bkey\b|forbidden|access (denied|token)|denied|permission|not (enabled|allowed) for|invalid project|whitelist/i,
  },
]

const unknownCause = { fault: 'refused', rejection: 'other', summary: 'refuses a request' } as const

/** The meaning of a JSON-RPC error. */
export function toEndpointError({ code, message, shown }: RpcError): EndpointError {
  const cause = causeOf(code, message) ?? unknownCause
  const words = shown === '' ? '' : `: ${shown}`
  const rejection = 'rejection' in cause ? { rejection: cause.rejection } : {}
  return new EndpointError(cause.fault, `${cause.summary} (JSON-RPC error ${code}${words})`, rejection)
}

/** Whether it says more than that a request was refused. */
export const isUnderstood = ({ code, message }: RpcError) => causeOf(code, message) !== undefined

const causeOf = (code: number, message: string) =>
  causes.find(({ codes }) => codes?.includes(code)) ?? causes.find(({ words }) => words.test(message))

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type ContentEncoding = 'br' | 'gzip'

/** Shorter bodies fit into one packet uncompressed. */
const WORTHWHILE_BYTES = 1024

/** Maximum number of responses compressed at the same time: connections need the same threads. */
const MAX_AT_ONCE = 8

/** Maximum number of bytes compressed at the same time, unless it is a single response. */
const MAX_BYTES_AT_ONCE = 32 * 1024 * 1024

/** No client knows more encodings; each entry costs time before the request is known to be valid. */
const MAX_ENTRIES = 32

/**
 * The encodings that a client accepts for a body of this size (RFC 9110 §12.5.3), the preferred one first; undefined
 * means uncompressed. A client that does not say gets an uncompressed body.
 */
export function negotiateEncodings(
  accepted: string | string[] | undefined,
  length: number,
): [best: ContentEncoding | undefined, ...others: (ContentEncoding | undefined)[]] {
  if (typeof accepted !== 'string') return [undefined]
  const weights = toWeights(accepted)
  const weightOf = (encoding: ContentEncoding) => weights.get(encoding) ?? weights.get('*') ?? 0
  const encodings = (['br', 'gzip'] as const).filter((encoding) => weightOf(encoding) > 0)
  if (weightOf('gzip') > weightOf('br')) encodings.reverse()
  const [best] = encodings
  if (best === undefined) return [undefined]
  const identity = weights.get('identity')
  if ((identity ?? weights.get('*')) === 0) return [best, ...encodings]
  const isAsItIs = length < WORTHWHILE_BYTES || (identity ?? 0) > weightOf(best)
  return isAsItIs ? [undefined, ...encodings] : [best, undefined, ...encodings]
}

/** How much each entry of an `Accept` or `Accept-Encoding` is wanted, from 0 to 1; what is no number counts as 0. */
export function toWeights(accepted: string) {
  const weights = new Map<string, number>()
  for (const entry of accepted.toLowerCase().split(',', MAX_ENTRIES)) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const weight = parameters.find((one) => one.startsWith('q=')) ?? 'q=1'
    if (name !== '') weights.set(name, Number(/^q=([0-9.]+)$/.exec(weight)?.[1] ?? 0) || 0)
  }
  return weights
}

/** The strongest level that costs little more than the weakest: the decision has time and size for each. */
export const EACH_TIME = { br: 4, gzip: 6 }
/** Of what a process compresses once, as documents and pages: a fifth smaller, and some 30 ms of a thread for the largest. */
export const ONCE = { br: 9, gzip: 9 }

/** Compresses on the thread pool, with a limit on how much at once. */
export function createCompressor(levels = EACH_TIME) {
  let [atOnce, bytesAtOnce] = [0, 0]

  /** In memory of its own size; undefined if too much is being compressed already. */
  return function compress(encoding: ContentEncoding, body: Buffer): Promise<Buffer> | undefined {
    const isFull = atOnce >= MAX_AT_ONCE || bytesAtOnce + body.length > MAX_BYTES_AT_ONCE
    if (atOnce > 0 && isFull) return undefined
    atOnce += 1
    bytesAtOnce += body.length
    return deflate(encoding, body, levels).finally(() => {
      atOnce -= 1
      bytesAtOnce -= body.length
    })
  }
}

const [brotliAsync, gzipAsync] = [promisify(brotliCompress), promisify(gzip)]

async function deflate(encoding: ContentEncoding, body: Buffer, levels: typeof EACH_TIME) {
  // The output comes in chunks, and each chunk is a trip to the threads and back.
  const chunkSize = Math.min(Math.max(body.length >> 2, 16_384), 1024 * 1024)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: levels.br,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
  }
  const piece =
    encoding === 'br'
      ? await brotliAsync(body, { chunkSize, params })
      : await gzipAsync(body, { chunkSize, level: levels.gzip })
  return withoutSlack(piece)
}

/** A copy of the bytes: a slice would keep the whole buffer in memory. */
function withoutSlack(piece: Buffer) {
  const bytes = Buffer.allocUnsafeSlow(piece.length)
  piece.copy(bytes)
  return bytes
}

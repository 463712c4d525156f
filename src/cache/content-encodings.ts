import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type ContentEncoding = 'br' | 'gzip'

/** What is shorter fits into a packet as it is. */
const WORTHWHILE_BYTES = 1024

/** Most answers that are compressed at once: the threads they take are also for what connections need. */
const MAX_AT_ONCE = 8

/** Maximum number of bytes that are compressed at once, unless it is one response. */
const MAX_BYTES_AT_ONCE = 32 * 1024 * 1024

/** Nobody knows more encodings; each entry costs time before it is known what the request is. */
const MAX_ENTRIES = 32

/**
 * The encodings of so many bytes that a client accepts (RFC 9110 §12.5.3), the one it gets first; undefined stands for the
 * bytes as they are. A client that says nothing gets those.
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

/** As strong as costs little more than the least: see the decision for what each level takes and gives. */
const LEVELS = { br: 4, gzip: 6 }

/** Compresses on threads of their own, so much at once and no more. */
export function createCompressor() {
  let [atOnce, bytesAtOnce] = [0, 0]

  /** In memory of its own size; undefined where too much is being compressed already. */
  return function compress(encoding: ContentEncoding, body: Buffer): Promise<Buffer> | undefined {
    const isBusy = atOnce >= MAX_AT_ONCE || bytesAtOnce + body.length > MAX_BYTES_AT_ONCE
    if (atOnce > 0 && isBusy) return undefined
    atOnce += 1
    bytesAtOnce += body.length
    return deflate(encoding, body).finally(() => {
      atOnce -= 1
      bytesAtOnce -= body.length
    })
  }
}

const [brotliAsync, gzipAsync] = [promisify(brotliCompress), promisify(gzip)]

async function deflate(encoding: ContentEncoding, body: Buffer) {
  // The output comes in pieces, and each is a way to the threads and back.
  const chunkSize = Math.min(Math.max(body.length >> 2, 16_384), 1024 * 1024)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: LEVELS.br,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
  }
  const piece =
    encoding === 'br'
      ? await brotliAsync(body, { chunkSize, params })
      : await gzipAsync(body, { chunkSize, level: LEVELS.gzip })
  return withoutSlack(piece)
}

/** The same bytes in memory of their own: else they would keep what they are a piece of. */
function withoutSlack(piece: Buffer) {
  const bytes = Buffer.allocUnsafeSlow(piece.length)
  piece.copy(bytes)
  return bytes
}

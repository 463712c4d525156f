import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ContentEncoding, createCompressor, EACH_TIME, negotiateEncodings, ONCE } from './content-encodings.ts'

/** The bytes of a response, uncompressed and in the encodings that clients have requested. */
export interface Content {
  /** Its media type. */
  type: string
  digest: string
  plain: Buffer
  encoded: Map<ContentEncoding, Promise<Buffer>>
  /** Bytes held compressed. */
  encodedBytes: number
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** A copy of the bytes of a text: small ones would otherwise share a larger buffer with others. */
export function toContent(text: string, type = JSON_TYPE): Content {
  const plain = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  plain.write(text)
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 27)
  return { type, digest, plain, encoded: new Map(), encodedBytes: 0 }
}

/**
 * Encodes responses; each encoding is compressed once and cached with its content.
 * @param isLasting whether the content stays as long as the process.
 */
export function createRepresentations(cacheControl: string, { isLasting = false } = {}) {
  const compress = createCompressor(isLasting ? ONCE : EACH_TIME)

  /** A promise of the compressed bytes; undefined if too much is being compressed already. */
  function encode(content: Content, encoding: ContentEncoding, onEncoded: () => void) {
    const known = content.encoded.get(encoding)
    if (known !== undefined) return known
    const encoded = compress(encoding, content.plain)
    if (encoded === undefined) return undefined
    content.encoded.set(encoding, encoded)
    encoded.then(
      (bytes) => {
        content.encodedBytes += bytes.length
        onEncoded()
      },
      () => content.encoded.delete(encoding),
    )
    return encoded
  }

  return {
    /**
     * Sends a public response in an encoding the client accepts, with the headers that caches need, or 304 if the client
     * has it (RFC 9110 §13). `onEncoded` is called when there is one more representation to store.
     */
    send(
      { headers }: FastifyRequest,
      reply: FastifyReply,
      content: Content,
      onEncoded = () => {},
    ): Promise<void> | undefined {
      const accepted = negotiateEncodings(headers['accept-encoding'], content.plain.length)
      const [preferred] = accepted
      const origin = reply.getHeader('vary')
      void reply.headers({
        // For a response that must not be stored, the header is already set.
        'cache-control': reply.getHeader('cache-control') ?? cacheControl,
        vary: origin === undefined ? 'accept-encoding' : `${origin}, accept-encoding`,
      })
      const known = findKnownTag(headers['if-none-match'], content.digest, accepted)
      if (known !== undefined) return void reply.header('etag', known).code(304).send()
      void reply.type(content.type)
      const encoded = preferred === undefined ? undefined : encode(content, preferred, onEncoded)
      if (encoded === undefined || preferred === undefined) {
        return void reply.header('etag', tagOf(content.digest, undefined)).send(content.plain)
      }
      return encoded.then((bytes) => {
        void reply.headers({ etag: tagOf(content.digest, preferred), 'content-encoding': preferred }).send(bytes)
      })
    },
  }
}

/*
 * Each representation of a response has a strong entity tag (RFC 9110 §8.8.3): the digest of its uncompressed bytes,
 * with the name of the encoding if it is compressed.
 */

/** The entity tag of a representation of content with a digest. */
const tagOf = (digest: string, encoding: ContentEncoding | undefined) =>
  encoding === undefined ? `"${digest}"` : `"${digest}-${encoding}"`

/**
 * The entity tag in `If-None-Match` that shows that the client has the response (RFC 9110 §13.1.2): the tag of the
 * representation it would get, or of another accepted one of the same content. Undefined if there is none.
 * @param accepted the encodings that the request accepts, the preferred one first
 */
function findKnownTag(
  ifNoneMatch: string | undefined,
  digest: string,
  accepted: readonly (ContentEncoding | undefined)[],
): string | undefined {
  if (ifNoneMatch === undefined) return undefined
  const tags = accepted.map((encoding) => tagOf(digest, encoding))
  if (ifNoneMatch.trim() === '*') return tags[0]
  // A tag includes its quotation marks, and a digest occurs in no other tag.
  return tags.find((tag) => ifNoneMatch.includes(tag))
}

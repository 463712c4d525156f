import type { ContentEncoding } from './content-encodings.ts'

/*
 * Each representation of a response has a strong entity tag (RFC 9110 §8.8.3): the digest of its uncompressed bytes,
 * with the name of the encoding if it is compressed.
 */

/** The entity tag of a representation of content with a digest. */
export const tagOf = (digest: string, encoding: ContentEncoding | undefined) =>
  encoding === undefined ? `"${digest}"` : `"${digest}-${encoding}"`

/**
 * The entity tag in `If-None-Match` that shows that the client has the response (RFC 9110 §13.1.2): the tag of the
 * representation it would get, or of another accepted one of the same content. Undefined if there is none.
 * @param accepted the encodings that the request accepts, the preferred one first
 */
export function findKnownTag(
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

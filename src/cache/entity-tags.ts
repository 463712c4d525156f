import type { ContentEncoding } from './content-encodings.ts'

/*
 * Each representation of a response has a strong tag of its own (RFC 9110 §8.8.3): that of its bytes as they are, and the
 * same with the name of the encoding.
 */

/** The tag of a representation of what has a digest. */
export const tagOf = (digest: string, encoding: ContentEncoding | undefined) =>
  encoding === undefined ? `"${digest}"` : `"${digest}-${encoding}"`

/**
 * The tag by which a client that sends `If-None-Match` knows the response already (RFC 9110 §13.1.2): of the representation
 * it would get, or of another one of the same content that it accepts. Undefined where it knows none.
 * @param accepted the encodings that the request accepts, the one it would get first
 */
export function findKnownTag(
  ifNoneMatch: string | undefined,
  digest: string,
  accepted: readonly (ContentEncoding | undefined)[],
): string | undefined {
  if (ifNoneMatch === undefined) return undefined
  const tags = accepted.map((encoding) => tagOf(digest, encoding))
  if (ifNoneMatch.trim() === '*') return tags[0]
  // A tag has its quotation marks, and a digest is in no other tag.
  return tags.find((tag) => ifNoneMatch.includes(tag))
}

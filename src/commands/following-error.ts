/** Chains are not followed as the operator asked for; the message says why, and names no URL. */
export class FollowingError extends Error {
  override readonly name = 'FollowingError'
}

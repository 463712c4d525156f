/** Where no embedded server can run, with what to do about it. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError'
}

/** An error whose message says all that the operator needs: commands print it without a stack. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}

import { Type } from '@sinclair/typebox'
import { component, ref } from '../../../schemas/references.ts'
import * as catalogue from './errors.ts'
import { ParameterError } from './parameter-errors.ts'

/** What every failure answers. */
export const ErrorResponse = component('Error', 'An error.', {
  error: Type.String({
    maxLength: 65_536,
    description: 'A sentence: what is wrong and what is allowed.',
  }),
})

/** What it answers where the client prefers problem details. */
export const ProblemDetails = component('ProblemDetails', 'An error as problem details (RFC 9457).', {
  type: Type.String({
    maxLength: 128,
    description: 'The section on the code in the guide on errors, relative to the service.',
  }),
  title: Type.String({ maxLength: 128, description: 'The error in a few words, always the same for one `type`.' }),
  status: Type.Integer({ minimum: 400, maximum: 599, description: 'Number of the HTTP status.' }),
  detail: Type.String({ maxLength: 65_536, description: 'The sentence that is `error` in the other form.' }),
  instance: Type.String({ maxLength: 128, description: 'ID of the request, as in `x-request-id`.' }),
  errors: Type.Array(ref(ParameterError), {
    maxItems: 64,
    description: 'What is wrong with which parameter.',
  }),
})

export const errorSchemas = [ErrorResponse, ParameterError, ProblemDetails]

/** Each once; 499 is for the log only: its client has disconnected. */
const codes = new Set(
  Object.values(catalogue)
    .map((Failure) => new Failure(undefined as never, undefined as never))
    .flatMap(({ code, statusCode }) => (statusCode === 499 ? [] : [code.toLowerCase()])),
)

/** The header of every failure, with all error codes; the guide lists the status of each. */
export const errorCode = {
  'x-error-code': {
    type: 'string',
    enum: [...codes].sort(),
    description: 'What failed, for programs: see the guide on errors.',
  },
}

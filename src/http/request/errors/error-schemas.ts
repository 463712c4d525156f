import { type Static, Type } from '@sinclair/typebox'
import { component, ref, word } from '../../../schemas/schema-builders.ts'

/** A fault of one parameter of a request. */
export const ParameterError = component('ParameterError', 'What is wrong with one parameter.', {
  parameter: Type.String({ maxLength: 16_384, description: 'Name of the parameter, as it was written.' }),
  code: word(
    ['invalid', 'unknown', 'repeated', 'missing', 'encoding'],
    'What is wrong: its value, its name, being given twice without being a list, being absent, or its percent-encoding.',
  ),
  detail: Type.String({ maxLength: 65_536, description: 'A sentence about this parameter alone.' }),
})
export type ParameterError = Static<typeof ParameterError>

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

import { type Static, Type } from '@sinclair/typebox'

/** A component of the OpenAPI document, without other properties. */
const named = ($id: string, description: string) => ({ $id, additionalProperties: false, description })

/** A fault of one parameter of a request. */
export const ParameterError = Type.Object(
  {
    parameter: Type.String({ maxLength: 16_384, description: 'Name of the parameter, as it was written.' }),
    code: Type.Unsafe<'invalid' | 'unknown' | 'repeated' | 'missing' | 'encoding'>({
      type: 'string',
      enum: ['invalid', 'unknown', 'repeated', 'missing', 'encoding'],
      description:
        'What is wrong: its value, its name, being given twice without being a list, being absent, or its percent-encoding.',
    }),
    detail: Type.String({ maxLength: 65_536, description: 'A sentence about this parameter alone.' }),
  },
  named('ParameterError', 'What is wrong with one parameter.'),
)
export type ParameterError = Static<typeof ParameterError>

/** What every failure answers. */
export const ErrorResponse = Type.Object(
  {
    error: Type.String({
      maxLength: 65_536,
      description: 'A sentence: what is wrong and what is allowed.',
    }),
  },
  named('Error', 'An error.'),
)

/** What it answers where the client prefers problem details. */
export const ProblemDetails = Type.Object(
  {
    type: Type.String({
      maxLength: 128,
      description: 'The section on the code in the guide on errors, relative to the service.',
    }),
    title: Type.String({ maxLength: 128, description: 'The error in a few words, always the same for one `type`.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'Number of the HTTP status.' }),
    detail: Type.String({ maxLength: 65_536, description: 'The sentence that is `error` in the other form.' }),
    instance: Type.String({ maxLength: 128, description: 'ID of the request, as in `x-request-id`.' }),
    errors: Type.Array(Type.Unsafe<ParameterError>(Type.Ref('ParameterError')), {
      maxItems: 64,
      description: 'What is wrong with which parameter.',
    }),
  },
  named('ProblemDetails', 'An error as problem details (RFC 9457).'),
)

export const errorSchemas = [ErrorResponse, ParameterError, ProblemDetails]

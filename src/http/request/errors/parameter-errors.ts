import { type Static, Type } from '@sinclair/typebox'

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
  { $id: 'ParameterError', additionalProperties: false, description: 'What is wrong with one parameter.' },
)
export type ParameterError = Static<typeof ParameterError>

import { type Static, Type } from '@sinclair/typebox'
import { word } from '../../../schemas/campaigns/enumerations.ts'
import { component } from '../../../schemas/references.ts'

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

import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { Instant } from './primitives.ts'
import { refOrNull, stringOrNull } from './schema-builders.ts'

/** The schema of a record of a type: unknown keys are faults. */
export const recordOf = <Name extends string, Fields extends TProperties>(
  type: Name,
  description: string,
  fields: Fields,
) => Type.Object({ type: Type.Literal(type), ...fields }, { additionalProperties: false, description })

export const orNull = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] })
export const optionalText = (description: string) => Type.Optional(stringOrNull(description))
export const optionalInstant = (description: string) => Type.Optional(refOrNull(Instant, description))

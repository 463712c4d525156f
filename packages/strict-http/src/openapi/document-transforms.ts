/*
 * What becomes of the document that @fastify/swagger makes of our schemas.
 */

/** The parts of an operation that are looked at here. */
interface Operation {
  parameters?: Parameter[]
  responses?: Record<string, unknown>
}
interface Parameter {
  in: string
  name: string
  required?: boolean
  description?: string
  schema?: object
  example?: unknown
}

type Paths<Operation> = Record<string, Record<string, Operation | undefined> | undefined>

/** The operations of a document, in its order; of a path there is nothing else here. */
export const operationsOf = <Operation>(document: object) =>
  Object.values((document as { paths?: Paths<Operation> }).paths ?? {}).flatMap((path = {}) =>
    Object.values(path).flatMap((operation) => operation ?? []),
  )

/** Annotations and formats of schemas that only the validator of the service knows, and that are of no use to a caller. */
export interface Internals {
  keywords: ReadonlySet<string>
  formats: ReadonlySet<string>
}

/** A copy without what only our validator understands, and with descriptions beside the `$ref` that they are about. */
export function withoutInternals<T>(document: T, { keywords, formats }: Internals): T {
  return JSON.parse(
    JSON.stringify(document, (name, part: unknown) => {
      if (keywords.has(name) || name === '$id') return undefined
      if (name === 'format' && typeof part === 'string' && formats.has(part)) return undefined
      return isDescribedReference(part) ? { ...part.allOf[0], description: part.description } : part
    }),
  )
}

/** What `ref` makes of a named schema and a description. */
const isDescribedReference = (part: unknown): part is { allOf: [object]; description: string } =>
  typeof part === 'object' &&
  part !== null &&
  Object.keys(part).length === 2 &&
  'description' in part &&
  'allOf' in part &&
  Array.isArray(part.allOf) &&
  part.allOf.length === 1

const IF_NONE_MATCH: Parameter = {
  in: 'header',
  name: 'If-None-Match',
  required: false,
  description: 'Entity tags of cached responses, from `ETag`; returns 304 without a body if one still matches.',
  schema: { type: 'string', maxLength: 16_384 },
  example: '"gmEacocL7hHL6Mjgpi1zfaifX-z"',
}

/** Adds the header of conditional requests where they have an effect; only described, since nothing about it can be wrong. */
export function withConditionalRequests<T extends object>(document: T): T {
  for (const operation of operationsOf<Operation>(document)) {
    const isConditional = operation.responses?.[304] !== undefined
    if (isConditional) operation.parameters = [...(operation.parameters ?? []), IF_NONE_MATCH]
  }
  return document
}

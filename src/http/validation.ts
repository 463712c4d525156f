import type { FastifySchemaCompiler } from 'fastify'
import { describeFault, type ErrorObject, type ValidateFunction, type Validator } from '../schemas/validator.ts'
import { withoutBrackets } from './bracketed-lists.ts'
import { InvalidRequestError } from './errors.ts'
import { createQueryReader, type ReadQuery } from './query-strings.ts'

interface ParametersSchema {
  properties?: Record<string, { type?: string | string[]; default?: unknown }>
}

/**
 * Checks the parameters of a request and words all their problems in one sentence. What checks them is made for the first
 * request: for all operations that takes as long as all the rest of a start.
 */
export const validateParameters =
  (validator: Validator): FastifySchemaCompiler<ParametersSchema> =>
  ({ schema, httpPart }) => {
    let validate: ValidateFunction | undefined
    const read: (raw: Record<string, string | string[]>) => ReadQuery =
      httpPart === 'querystring' ? readerOf(schema.properties ?? {}) : (values) => ({ values, problems: [] })
    return (raw) => {
      validate ??= validator.compile(schema)
      const { values, problems } = read(raw)
      if (!validate(values)) problems.push(...describeParameters(validate.errors ?? []))
      return problems.length === 0 ? { value: values } : { error: new InvalidRequestError(toSentence(problems)) }
    }
  }

function readerOf(parameters: NonNullable<ParametersSchema['properties']>) {
  const lists = new Set(Object.keys(parameters).filter((name) => parameters[name]?.type === 'array'))
  const read = createQueryReader(parameters)
  return (raw: Record<string, string | string[]>) => read(withoutBrackets(raw, lists))
}

/** An answer does not grow with the number of mistakes. */
const MOST_PROBLEMS = 20

function toSentence(problems: string[]) {
  const more = problems.length - MOST_PROBLEMS
  return more > 0 ? `${problems.slice(0, MOST_PROBLEMS).join('; ')}; and ${more} more` : problems.join('; ')
}

/** One phrase for each faulty value: a value that breaks two rules is reported once. */
function describeParameters(errors: ErrorObject[]) {
  const phrases = new Map<string, string>()
  for (const error of errors) {
    if (!phrases.has(error.instancePath)) phrases.set(error.instancePath, describeParameter(error))
  }
  return [...phrases.values()]
}

function describeParameter(error: ErrorObject) {
  if (error.keyword === 'dependentRequired') {
    return `${error.params.property} needs ${error.params.missingProperty} too`
  }
  const [name, entry] = error.instancePath.slice(1).split('/')
  return entry === undefined ? `${name} ${describeFault(error)}` : `an entry of ${name} ${describeFault(error)}`
}

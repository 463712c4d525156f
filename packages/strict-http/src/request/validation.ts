import type { AnySchema, ErrorObject, ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import { InvalidRequestError } from './errors/errors.ts'
import {
  AND_MORE,
  createQueryReader,
  MAX_PROBLEMS,
  type NameWords,
  type Problem,
  type ReadQuery,
  withoutBrackets,
} from './query-strings.ts'

interface ParametersSchema {
  properties?: Record<string, { type?: string | string[]; default?: unknown }>
}

/** An instance of Ajv that coerces nothing and finds all faults. */
interface Validator {
  compile: (schema: AnySchema) => ValidateFunction
}

/** How faults are put into words. */
export interface FaultWords extends NameWords {
  /** What is wrong with one value, without its name: "must be …". */
  describeFault?: (fault: ErrorObject) => string
}

/**
 * Checks the parameters of a request and describes all faults in one sentence. The validators are compiled for the
 * first request: for all operations together that takes as long as the rest of the start.
 */
export const validateParameters =
  (validator: Validator, words: FaultWords = {}): FastifySchemaCompiler<ParametersSchema> =>
  ({ schema, httpPart }) => {
    let validate: ValidateFunction | undefined
    const read: (raw: Record<string, string | string[]>) => ReadQuery =
      httpPart === 'querystring' ? readerOf(schema.properties ?? {}, words) : (values) => ({ values, problems: [] })
    // Equal query strings are one object: reading and checking four filters again would cost a cache hit 5 µs.
    const valid = httpPart === 'querystring' ? new WeakMap<object, { value: unknown }>() : undefined
    return (raw) => {
      const known = valid?.get(raw)
      if (known !== undefined) return known
      validate ??= validator.compile(schema)
      const { values, problems } = read(raw)
      const faults = validate(values)
        ? []
        : onePerValue(validate.errors ?? []).filter((fault) => !isRefused(problems, fault))
      if (problems.length + faults.length === 0) {
        const checked = { value: values }
        // Several requests share it.
        if (valid !== undefined) for (const part of [values, ...Object.values(values)]) Object.freeze(part)
        valid?.set(raw, checked)
        return checked
      }
      return { error: toError(problems, faults, words) }
    }
  }

function readerOf(parameters: NonNullable<ParametersSchema['properties']>, words: NameWords) {
  const lists = new Set(Object.keys(parameters).filter((name) => parameters[name]?.type === 'array'))
  const read = createQueryReader(parameters, words)
  return (raw: Record<string, string | string[]>) => read(withoutBrackets(raw, lists))
}

function toError(problems: Problem[], faults: ErrorObject[], { describeFault = toMessage }: FaultWords) {
  const named = problems.slice(0, MAX_PROBLEMS)
  const described = [
    ...named,
    ...faults.slice(0, MAX_PROBLEMS - named.length).map((fault) => describeParameter(fault, describeFault)),
  ]
  const areMore = problems.length + faults.length > MAX_PROBLEMS
  const sentences = described.map(({ detail }) => detail)
  const errors = described.flatMap(({ parameter, ...rest }) => (parameter === undefined ? [] : { parameter, ...rest }))
  return new InvalidRequestError([...sentences, ...(areMore ? [AND_MORE] : [])].join('; '), errors)
}

/** A value that breaks two rules is reported once; a missing parameter has no value. */
function onePerValue(errors: ErrorObject[]) {
  const values = new Set<string>()
  return errors.filter(({ keyword, instancePath }) => {
    // Each of these concerns another parameter.
    if (keyword === 'required' || keyword === 'dependentRequired') return true
    return !values.has(instancePath) && values.add(instancePath)
  })
}

/** A parameter that was refused before has no value, and is not missing. */
const isRefused = (problems: Problem[], { params }: ErrorObject) =>
  problems.some(({ parameter }) => parameter !== undefined && parameter === params.missingProperty)

const toMessage = ({ message = 'is not valid' }: ErrorObject) => message

function describeParameter(error: ErrorObject, describeFault: (fault: ErrorObject) => string): Problem {
  const { property, missingProperty } = error.params
  if (error.keyword === 'dependentRequired') {
    return { parameter: missingProperty, code: 'missing', detail: `${property} needs ${missingProperty} too` }
  }
  if (error.keyword === 'required') {
    return { parameter: missingProperty, code: 'missing', detail: `${missingProperty} is required` }
  }
  const [parameter = '', entry] = error.instancePath.slice(1).split('/')
  const detail = `${entry === undefined ? '' : 'an entry of '}${parameter} ${describeFault(error)}`
  return { parameter, code: 'invalid', detail }
}

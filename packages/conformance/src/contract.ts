import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { resolveReferences } from '../../example-requests/src/resolve-references.ts'
import type { HttpClient, HttpResponse } from './http-client.ts'

/** The document is no description of operations, or a response is not what it describes; in a sentence. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError'
}

interface Parameter {
  in: 'query' | 'path' | 'header'
  name: string
  required?: boolean
  schema: { enum?: unknown[] }
}

interface DocumentedResponse {
  headers?: Record<string, { schema: object }>
  content?: Record<string, { schema: object }>
}

/** An operation as the deployment's own document has it. */
export interface Operation {
  path: string
  isProtected: boolean
  queryParameters: readonly Parameter[]
  /** What a response has against what the document says of its status. */
  faultsOf: (response: HttpResponse) => string[]
  /** Whether answers of success are documented with a header. */
  has: (header: string) => boolean
}

interface Document {
  paths: Record<
    string,
    { get?: { security?: unknown[]; parameters?: Parameter[]; responses: Record<string, DocumentedResponse> } }
  >
}

const objects = (values: object) => ({ type: 'object', additionalProperties: values })

/** What is read of a document before references are resolved, and then of its operations. */
const PATHS = {
  type: 'object',
  required: ['paths'],
  properties: { paths: objects({ type: 'object', properties: { get: { type: 'object' } } }) },
}
const OPERATION = {
  type: 'object',
  required: ['responses'],
  properties: {
    security: { type: 'array' },
    parameters: {
      type: 'array',
      items: {
        type: 'object',
        required: ['in', 'name', 'schema'],
        properties: {
          in: { type: 'string' },
          name: { type: 'string' },
          schema: { type: 'object', properties: { enum: { type: 'array' } } },
        },
      },
    },
    responses: objects({
      type: 'object',
      properties: {
        headers: { type: 'object' },
        content: objects({ type: 'object', properties: { schema: { type: 'object' } } }),
      },
    }),
  },
}

const toSentence = ({ instancePath, message, params }: ErrorObject) =>
  `${instancePath || 'the body'} ${message} (${Object.values(params).join(', ')})`

/** @throws UnreadableError where the text is no document of operations. */
export function readContract(text: string): Operation[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  function requireShape(schema: object, value: unknown, path: string) {
    const validate = ajv.compile(schema)
    validate(value)
    const [error] = validate.errors ?? []
    if (error !== undefined) throw new UnreadableError(`/openapi.json: ${path}${toSentence(error)}`)
  }
  const document = toJson(text) as Document
  if (document === undefined) throw new UnreadableError('/openapi.json is not JSON')
  requireShape(PATHS, document, '')
  const { paths } = inSentence('/openapi.json has references that cannot be resolved', () =>
    resolveReferences(document),
  )
  inSentence('/openapi.json has schemas that cannot be used', () => ajv.addSchema({ $id: 'document', ...document }))
  const validatorOf = (schema: object) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')))

  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (get === undefined || document.paths[path]?.get === undefined) return []
    requireShape(OPERATION, get, `${path} `)
    const { security = [], parameters = [], responses } = get
    const validators = new Map<number, ReturnType<typeof validatorOf>>()
    function validatorFor({ status }: HttpResponse, schema: object) {
      const validate = validators.get(status) ?? validatorOf(schema)
      validators.set(status, validate)
      return validate
    }
    return [
      {
        path,
        isProtected: security.length > 0,
        queryParameters: parameters.filter((parameter) => parameter.in === 'query'),
        has: (header: string) => responses['200']?.headers?.[header] !== undefined,
        faultsOf(response: HttpResponse) {
          const documented = responses[String(response.status)]
          if (documented === undefined) return [`${response.path}: ${response.status} is not documented`]
          const schema = documented.content?.['application/json']?.schema
          if (schema === undefined) return []
          const type = response.headers.get('content-type') ?? 'no content type'
          // A statement, which only people read.
          if (documented.content?.['text/csv'] !== undefined && /^text\/csv\b/i.test(type)) return []
          if (!/^application\/json(; ?charset=utf-8)?$/i.test(type)) return [`${response.path}: the body is ${type}`]
          const body = toJson(response.text)
          if (body === undefined) return [`${response.path}: the body is no JSON`]
          const validate = inSentence(`${path} has a schema that cannot be used`, () => validatorFor(response, schema))
          validate(body)
          return (validate.errors ?? []).map((error) => `${response.path}: ${toSentence(error)}`)
        },
      },
    ]
  })
}

/** Headers that answers of success always have: those that are documented, and one that all have without a word. */
export const requiredHeadersOf = (operation: Operation) => [
  'cache-control',
  ...['x-request-id', 'etag', 'x-total-count'].filter(
    // Of claims the total is not always known.
    (name) => operation.has(name) && !(name === 'x-total-count' && operation.path === '/claims'),
  ),
]

/** Does what can only fail by what the document says. */
function inSentence<T>(sentence: string, work: () => T): T {
  try {
    return work()
  } catch {
    throw new UnreadableError(sentence)
  }
}

/** For checks that read bodies: those of success have to be as they are documented. */
export function requireDocumented(http: HttpClient, operations: readonly Operation[]): HttpClient {
  const patterns = operations.map((operation) => ({
    operation,
    // An operation without parameters in its path comes first.
    rank: operation.path.includes('{') ? 1 : 0,
    pattern: new RegExp(`^${operation.path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]*\}/g, '[^/]+')}$`),
  }))
  patterns.sort((one, other) => one.rank - other.rank)
  return {
    responses: http.responses,
    /** @throws UnreadableError */
    async send(path, options) {
      const response = await http.send(path, options)
      const [requested = ''] = path.split('?')
      const known = patterns.find(({ pattern }) => pattern.test(requested))
      if (response.status !== 200) throw new UnreadableError(`${path} returns ${response.status}`)
      const [fault] = known?.operation.faultsOf(response) ?? []
      if (fault !== undefined) throw new UnreadableError(fault)
      return response
    },
  }
}

/** Undefined where it is none. */
export function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

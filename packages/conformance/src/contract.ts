import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { resolveReferences } from '../../example-requests/src/resolve-references.ts'
import type { HttpResponse } from './http-client.ts'

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

/** @throws TypeError where the text is no document of operations. */
export function readContract(text: string): Operation[] {
  const document = JSON.parse(text) as Document
  const { paths } = resolveReferences(document)
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'document', ...document })
  const validatorOf = (schema: object) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')))

  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (get === undefined) return []
    const { security = [], parameters = [], responses } = get
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
          if (!/^application\/json(; ?charset=utf-8)?$/i.test(type)) return [`${response.path}: the body is ${type}`]
          const body = toJson(response.text)
          if (body === undefined) return [`${response.path}: the body is no JSON`]
          const validate = validatorOf(schema)
          validate(body)
          return (validate.errors ?? []).map(
            ({ instancePath, message, params }) =>
              `${response.path}: ${instancePath || 'the body'} ${message} (${Object.values(params).join(', ')})`,
          )
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

/** Undefined where it is none. */
export function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { resolveReferences } from '../../../packages/example-requests/src/resolve-references.ts'
import type { BorrowedTestApp } from '../test-app.ts'

/** The OpenAPI document as tests read it. */
interface OpenApi {
  info: { title: string; description: string }
  paths: Record<string, { get: OpenApiOperation }>
}
interface OpenApiOperation {
  operationId: string
  summary: string
  parameters?: OpenApiParameter[]
  responses: Record<string, OpenApiResponse>
}
export interface OpenApiParameter {
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  description?: string
  style?: string
  explode?: boolean
  schema: Record<string, unknown>
  example?: unknown
}
interface OpenApiResponse {
  headers?: Record<string, { schema: object }>
  content?: Record<
    string,
    { schema: { $ref: string }; examples?: Record<string, { summary?: string; value: unknown }> }
  >
}

export interface Contract {
  document: OpenApi
  operations: { path: string; operation: OpenApiOperation }[]
  /** A validator by a schema of the document, as a client would make it. */
  validatorOf: (schema: object) => ValidateFunction
  /** What the schema of an operation's answer has against a body. */
  faultsOf: (path: string, body: unknown) => string[]
}

/** The contract of a service as it publishes it. */
export async function contractOf(api: BorrowedTestApp): Promise<Contract> {
  const document: OpenApi = resolveReferences((await api.get('/openapi.json')).json())
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'document', ...document })
  const inDocument = (schema: object): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'))
  const validatorOf = (schema: object) => ajv.compile(inDocument(schema))
  return {
    document,
    operations: Object.entries(document.paths).map(([path, { get }]) => ({ path, operation: get })),
    validatorOf,
    faultsOf(path, body) {
      const schema = document.paths[path]?.get.responses[200]?.content?.['application/json']?.schema
      if (schema === undefined) throw new Error(`there is no schema of ${path}`)
      const validate = validatorOf(schema)
      validate(body)
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      )
    },
  }
}

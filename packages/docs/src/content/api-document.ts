/*
 * The OpenAPI document, as far as its pages show it.
 */

export interface ApiDocument {
  info: { title: string; version: string; description?: string }
  tags?: { name: string; description?: string }[]
  paths: Record<string, { get?: Operation }>
  webhooks?: object
  components: { schemas: Record<string, Schema> }
}

export interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters?: Parameter[]
  responses: Record<string, ApiResponse>
  security?: object[]
  servers?: { url: string }[]
}

export interface Parameter {
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

export interface ApiResponse {
  description: string
  headers?: Record<string, { description?: string }>
  content?: Record<string, { schema: Schema; examples?: Record<string, { summary?: string; value: unknown }> }>
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  maxItems?: number
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  discriminator?: { propertyName: string }
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
}

/** An operation and where it is. */
export interface ServedOperation extends Operation {
  path: string
}

/** Operations by tag, in the order of the document; without tags of which nothing is served. */
export function groupOperations({ tags = [], paths }: ApiDocument) {
  const operations = Object.entries(paths).flatMap(([path, { get }]): ServedOperation[] =>
    get === undefined ? [] : [{ ...get, path }],
  )
  return tags
    .map((tag) => ({ ...tag, operations: operations.filter(({ tags: [first] }) => first === tag.name) }))
    .filter((tag) => tag.operations.length > 0)
}

/** Whether an operation wants a token. */
export const isProtected = ({ security = [] }: Operation) => security.length > 0

/** The JSON of a response: its schema, its first example, and the others. */
export function contentOf({ content }: ApiResponse) {
  const { schema, examples = {} } = content?.['application/json'] ?? {}
  const [first, ...others] = Object.values(examples)
  return { schema, example: first?.value, others }
}

/** The lines of an operation that sends records as text. */
export const linesOf = ({ operationId, responses }: Operation) => {
  const { examples = {} } = responses['200']?.content?.['application/x-ndjson'] ?? {}
  return (examples[operationId] ?? Object.values(examples)[0])?.value
}

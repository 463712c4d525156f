import { resolveReferences } from './resolve-references.ts'

/*
 * What can be asked, as the OpenAPI document says it: for texts that are made of the document.
 */

/** The parts of a document that are looked at here. */
interface Document {
  paths: Record<string, { get: Operation }>
}
interface Operation {
  operationId: string
  summary: string
  description: string
  tags: [string]
  servers: [{ url: string }]
  security: unknown[]
  parameters?: Parameter[]
}
interface Parameter {
  in: 'path' | 'query' | 'header'
  name: string
  description: string
  required?: boolean
  example?: unknown
}

export interface ExampleParameter {
  name: string
  /** As it is written, before it becomes part of a URL. */
  value: string
  description: string
  /** Without it the request is refused. */
  required: boolean
}

/** An operation with the examples of its parameters. */
export interface ExampleRequest extends Omit<Operation, 'tags' | 'servers' | 'security' | 'parameters'> {
  tag: string
  baseUrl: string
  needsToken: boolean
  /** As the document has it, `{…}` standing for parameters. */
  pathTemplate: string
  /** With examples in it. */
  path: string
  query: ExampleParameter[]
  /** The names of all parameters of the query, also of those without an example. */
  queryNames: string[]
  headers: ExampleParameter[]
}

/** A request for each operation of a document that this service has made, in the document's order. */
export const toExampleRequests = (document: object): ExampleRequest[] =>
  Object.entries((resolveReferences(document) as Document).paths).map(([pathTemplate, { get }]) => {
    const { operationId, summary, description, tags, servers, security, parameters = [] } = get
    // A cursor has none: it comes with a response. Nor has what excludes another parameter.
    const shown = parameters.filter(({ example }) => example !== undefined)
    const of = (location: Parameter['in']) => shown.filter((one) => one.in === location).map(toExample)
    const fill = (path: string, { name, value }: ExampleParameter) => path.replace(`{${name}}`, value)
    return {
      ...{ operationId, summary, description, pathTemplate },
      tag: tags[0],
      baseUrl: servers[0].url,
      needsToken: security.length > 0,
      path: of('path').reduce(fill, pathTemplate),
      query: of('query'),
      queryNames: parameters.flatMap(({ in: location, name }) => (location === 'query' ? [name] : [])),
      headers: of('header'),
    }
  })

/** Lists are written with commas. */
const toExample = ({ name, description, required = false, example }: Parameter): ExampleParameter => ({
  ...{ name, description, required },
  value: String(example),
})

/** Parameters as the parts of a URL's query, as readable as they may be. */
export const toQueryParts = (query: ExampleParameter[]) =>
  query.map(({ name, value }, index) => {
    const readable = encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%3A', ':')
    return `${index === 0 ? '?' : '&'}${name}=${readable}`
  })

/** In place of a token, which nobody but the operator has. */
export const EXAMPLE_TOKEN = 'rcs_issued-by-the-operator'

/** Where operations of each kind are served, for anyone who asks from elsewhere. */
export function baseUrlsOf(requests: ExampleRequest[]) {
  const urlOf = (needsToken: boolean) => {
    const url = requests.find((request) => request.needsToken === needsToken)?.baseUrl ?? '/'
    return new URL(url, 'http://127.0.0.1:3000').href.replace(/\/$/, '')
  }
  return { baseUrl: urlOf(false), stagingUrl: urlOf(true) }
}

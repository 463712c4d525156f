import {
  baseUrlsOf,
  EXAMPLE_TOKEN,
  type ExampleParameter,
  type ExampleRequest,
  toExampleRequests,
  toQueryParts,
} from './example-requests.ts'

/**
 * The requests of a document as a file that editors send (the REST Client of Visual Studio Code, the HTTP client of
 * IntelliJ): each operation as it is, and with all its parameters where it has any that are optional.
 */
export function toHttpFile(document: object): string {
  const requests = toExampleRequests(document)
  const { baseUrl, stagingUrl } = baseUrlsOf(requests)
  const head = [
    '# The operations of the service, made of its OpenAPI document. Some want a token, which the operator issues.',
    `@baseUrl = ${baseUrl}`,
    `@stagingUrl = ${stagingUrl}`,
    `@token = ${EXAMPLE_TOKEN}`,
  ]
  return [`${head.join('\n')}\n`, ...requests.flatMap(toBlocks)].join('\n')
}

function toBlocks(request: ExampleRequest) {
  const { operationId, summary } = request
  const query = withoutBlocks(request.query)
  const needed = query.filter(({ required }) => required)
  const plain = toBlock(request, summary, operationId, needed)
  if (query.length === needed.length) return [plain]
  return [plain, toBlock(request, `${summary}, with parameters`, `${operationId}WithParameters`, query)]
}

function toBlock(
  { description, needsToken, path }: ExampleRequest,
  title: string,
  name: string,
  query: ExampleParameter[],
) {
  const lines = [
    `### ${title}`,
    ...description.split('\n').map((line) => `# ${line}`.trim()),
    `# @name ${name}`,
    `GET {{${needsToken ? 'stagingUrl' : 'baseUrl'}}}${path}`,
    ...toQueryParts(query).map((part) => `    ${part}`),
    ...(needsToken ? ['Authorization: Bearer {{token}}'] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** The parameters that always work; no chain may be followed, and then there is no block to wait for. */
const withoutBlocks = (query: ExampleParameter[]) => query.filter(({ name }) => name !== 'minBlock')

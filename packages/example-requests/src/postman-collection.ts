import { baseUrlsOf, EXAMPLE_TOKEN, type ExampleRequest, toExampleRequests } from './example-requests.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/**
 * A document as a collection of Postman's format 2.1, which also Bruno, Insomnia and Hoppscotch read: a folder for each
 * tag, and for each operation a request whose parameters are there with their examples, to be switched on.
 */
export function toPostmanCollection(document: object): string {
  const requests = toExampleRequests(document)
  const { info, tags } = document as { info: { title: string; description: string }; tags: { name: string }[] }
  const collection = {
    info: { name: info.title, description: info.description, schema: SCHEMA },
    variable: Object.entries({ ...baseUrlsOf(requests), token: EXAMPLE_TOKEN }).map(([key, value]) => ({ key, value })),
    item: tags
      .map(({ name }) => ({ name, item: requests.filter(({ tag }) => tag === name).map(toItem) }))
      .filter(({ item }) => item.length > 0),
  }
  return `${JSON.stringify(collection, undefined, 2)}\n`
}

function toItem({ summary, description, needsToken, path, query, headers }: ExampleRequest) {
  const host = `{{${needsToken ? 'stagingUrl' : 'baseUrl'}}}`
  const toSwitch = ({ name, value, description: about, required }: ExampleRequest['query'][number]) => ({
    key: name,
    value,
    description: about,
    disabled: !required,
  })
  return {
    name: summary,
    request: {
      method: 'GET',
      description,
      auth: needsToken
        ? { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] }
        : { type: 'noauth' },
      header: headers.map(toSwitch),
      url: { raw: `${host}${path}`, host: [host], path: path.slice(1).split('/'), query: query.map(toSwitch) },
    },
  }
}

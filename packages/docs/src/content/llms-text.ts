import { type ExampleRequest, toExampleRequests, toQueryParts } from '../../../example-requests/src/example-requests.ts'
import type { ArticlePage } from './articles.ts'

/**
 * What a language model is told of the service (llmstxt.org): what it is, what to know, and where to go on. All of it
 * stands in the OpenAPI document and in the guides.
 */
export function toLlmsText(document: object, guides: ArticlePage[]): string {
  const sections = [
    ...toIntroduction(document),
    toSection('Reference', [
      '[OpenAPI 3.1](/openapi.json): every operation, parameter, response and error, with examples; also as [YAML](/openapi.yaml)',
      '[Documentation](/docs): the same for people, to be tried',
      '[All guides](/llms-full.txt): the guides below in one file',
    ]),
    ...(guides.length === 0 ? [] : [toSection('Guides', guides.map(toGuideItem))]),
    toSection('Operations', toExampleRequests(document).map(toOperationItem)),
  ]
  return `${sections.join('\n\n')}\n`
}

/** The guides in one file, in reading order. */
export const toLlmsFullText = (document: object, guides: ArticlePage[]) =>
  `${[...toIntroduction(document), ...guides.map(({ markdown }) => markdown.trim())].join('\n\n')}\n`

function toIntroduction(document: object) {
  const { title, description } = (document as { info: { title: string; description: string } }).info
  const [summary = '', ...toKnow] = description.split('\n\n')
  return [`# ${title}`, `> ${summary}`, ...toKnow]
}

const toSection = (title: string, items: string[]) => `## ${title}\n\n${items.map((item) => `- ${item}`).join('\n')}`

const toGuideItem = ({ title, summary, url }: ArticlePage) => `[${title}](${url}.md): ${summary}`

/** The link is an example that can be asked. */
function toOperationItem({ summary, description, needsToken, pathTemplate, ...request }: ExampleRequest) {
  const names = request.queryNames.map((name) => `\`${name}\``).join(', ')
  return [
    `[GET ${pathTemplate}](${toUrl(request)}): ${summary}${needsToken ? ', with a bearer token' : ''}.`,
    description.replaceAll('\n', ' '),
    ...(names === '' ? [] : [`Parameters: ${names}.`]),
  ].join(' ')
}

const toUrl = ({ baseUrl, path, query }: Pick<ExampleRequest, 'baseUrl' | 'path' | 'query'>) =>
  `${baseUrl.replace(/\/$/, '')}${path}${toQueryParts(query.filter(({ required }) => required)).join('')}`

import { type ApiDocument, groupOperations } from './api-document.ts'
import type { Articles } from './articles.ts'

/** A place that the search finds: by its title and by the words that stand there. */
interface SearchEntry {
  url: string
  title: string
  /** What it is a part of. */
  of: string
  words: string
}

/** Everything that the search of the pages looks through. */
export function toSearchEntries(document: ApiDocument, articles: Articles): SearchEntry[] {
  const operations = groupOperations(document).flatMap((group) =>
    group.operations.flatMap(({ operationId, summary, path, description, parameters = [] }): SearchEntry[] => [
      { url: `/docs#${operationId}`, title: summary, of: `GET ${path}`, words: `${operationId} ${description}` },
      ...parameters.map((parameter) => ({
        url: `/docs#${operationId}-${parameter.name}`,
        title: parameter.name,
        of: summary,
        words: parameter.description ?? '',
      })),
    ]),
  )
  const schemas = Object.entries(document.components.schemas).map(([name, { description = '', properties = {} }]) => ({
    url: `/docs#schema-${name}`,
    title: name,
    of: 'Schemas',
    words: [description, ...Object.entries(properties).flatMap(([key, value]) => [key, value.description])].join(' '),
  }))
  const pages = [...articles.guides.flatMap(({ pages }) => pages), ...articles.others].flatMap(
    ({ url, title, sections }) =>
      sections.map((section, index) => ({
        url: index === 0 ? url : `${url}#${section.id}`,
        title: section.title,
        of: index === 0 ? '' : title,
        words: section.text,
      })),
  )
  return [...operations, ...pages, ...schemas]
}

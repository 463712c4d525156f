import type { EntryKind, SearchEntry } from '../search/search-index.ts'
import { type ApiDocument, groupOperations } from './api-document.ts'
import type { ArticlePage, Articles } from './articles.ts'

/** Pages that repeat what others say better. */
const ASIDES = ['/docs/changelog', '/docs/readme', '/docs/glossary']

/** Everything that the search of the pages looks through. */
export function toSearchEntries(document: ApiDocument, articles: Articles): SearchEntry[] {
  const operations = groupOperations(document).flatMap((group) =>
    group.operations.flatMap(({ operationId, summary, path, description, parameters = [] }): SearchEntry[] => [
      {
        url: `/docs/operations/${operationId}`,
        kind: 'operation',
        title: summary,
        of: `GET ${path}`,
        words: `${operationId} ${description}`,
      },
      ...parameters.map(
        (parameter): SearchEntry => ({
          url: `/docs/operations/${operationId}#${operationId}-${parameter.name}`,
          kind: 'parameter',
          title: parameter.name,
          of: summary,
          words: parameter.description ?? '',
        }),
      ),
    ]),
  )
  const schemas = Object.entries(document.components.schemas).map(
    ([name, { description = '', properties = {} }]): SearchEntry => ({
      url: `/docs#schema-${name}`,
      kind: 'schema',
      title: name,
      of: 'Schemas',
      words: [description, ...Object.entries(properties).flatMap(([key, value]) => [key, value.description])].join(' '),
    }),
  )
  const sectionsOf = (
    { url, title, name = title, task = name === title ? '' : name, sections }: ArticlePage,
    kinds: [first: EntryKind, others: EntryKind],
  ) =>
    sections.map(
      (section, index): SearchEntry => ({
        url: index === 0 ? url : `${url}#${section.id}`,
        kind: index === 0 ? kinds[0] : kinds[1],
        title: section.title,
        of: index === 0 ? task : title,
        words: section.text,
      }),
    )
  const guides = articles.guides.flatMap(({ pages }) => pages.flatMap((page) => sectionsOf(page, ['guide', 'section'])))
  const others = articles.others.flatMap((page) =>
    sectionsOf(page, ASIDES.includes(page.url) ? ['reference', 'aside'] : ['reference', 'reference']),
  )
  return [...guides, ...operations, ...others, ...schemas]
}

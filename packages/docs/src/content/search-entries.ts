import type { EntryKind, SearchEntry } from '../search/search-index.ts'
import { type ApiDocument, groupOperations } from './api-document.ts'
import type { ArticlePage, Articles } from './articles.ts'

/** Pages that repeat what others say better. */
const ASIDES = ['/docs/changelog', '/docs/readme', '/docs/glossary']

/** It explains what guides use. */
const CLIENT = '/docs/client'

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
        passages: [toLine(description)],
      },
      ...parameters.map(
        (parameter): SearchEntry => ({
          url: `/docs/operations/${operationId}#${operationId}-${parameter.name}`,
          kind: 'parameter',
          title: parameter.name,
          of: summary,
          words: parameter.description ?? '',
          passages: [toLine(parameter.description)],
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
      passages: [toLine(description)],
    }),
  )
  const sectionsOf = ({ url, title, name = title, task = '', sections }: ArticlePage, kind: EntryKind) =>
    sections.map(
      (section, index): SearchEntry => ({
        url: index === 0 ? url : `${url}#${section.id}`,
        kind,
        title: index === 0 ? name : section.title,
        of: index === 0 ? task : name,
        words: section.text,
        passages: section.passages.map(toLine),
      }),
    )
  const termsOf = ({ url, title, terms }: ArticlePage) =>
    terms.map(
      (term): SearchEntry => ({
        url: `${url}#${term.id}`,
        kind: 'term',
        title: term.title,
        of: title,
        words: term.text,
        passages: term.passages.map(toLine),
      }),
    )
  const guides = articles.guides.flatMap(({ pages }) => pages.flatMap((page) => sectionsOf(page, 'guide')))
  const others = articles.others.flatMap((page) => [
    ...sectionsOf(page, ASIDES.includes(page.url) ? 'aside' : page.url === CLIENT ? 'guide' : 'reference'),
    ...termsOf(page),
  ])
  return [...guides, ...operations, ...others, ...schemas]
}

const toLine = (text = '') => text.replaceAll('`', '').replace(/\s+/g, ' ').trim()

import type { EntryKind, SearchEntry } from '../search/search-index.ts'
import { type ApiDocument, groupOperations } from './api-document.ts'
import type { ArticlePage, Articles } from './articles.ts'
import { shorten } from './shorten.ts'

/** Pages that repeat what others say better. */
const ASIDES = ['/docs/changelog', '/docs/readme', '/docs/glossary']

/** It explains what guides use. */
const CLIENT = '/docs/client'

/** As much of a place as the list of hits shows. */
const MAX_LEAD = 100

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
        lead: toLead(description),
      },
      ...parameters.map(
        (parameter): SearchEntry => ({
          url: `/docs/operations/${operationId}#${operationId}-${parameter.name}`,
          kind: 'parameter',
          title: parameter.name,
          of: summary,
          words: parameter.description ?? '',
          lead: toLead(parameter.description),
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
      lead: toLead(description),
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
        lead: toLead(section.lead),
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
        lead: toLead(term.lead),
      }),
    )
  const guides = articles.guides.flatMap(({ pages }) => pages.flatMap((page) => sectionsOf(page, 'guide')))
  const others = articles.others.flatMap((page) => [
    ...sectionsOf(page, ASIDES.includes(page.url) ? 'aside' : page.url === CLIENT ? 'guide' : 'reference'),
    ...termsOf(page),
  ])
  return [...guides, ...operations, ...others, ...schemas]
}

const toLead = (text = '') => shorten(text.replaceAll('`', ''), MAX_LEAD)

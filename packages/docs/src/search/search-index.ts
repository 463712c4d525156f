import MiniSearch, { type Options } from 'minisearch'
import { shorten } from '../content/shorten.ts'
import { toQueryTerms, toTerms, wordsOf } from './terms.ts'

/** What an entry is: who searches wants an explanation first, then what can be requested. */
export type EntryKind = 'guide' | 'operation' | 'reference' | 'term' | 'parameter' | 'schema' | 'aside'

const WEIGHTS: Readonly<Record<EntryKind, number>> = {
  guide: 1.2,
  operation: 1.1,
  reference: 1.1,
  term: 0.6,
  parameter: 0.34,
  schema: 0.3,
  aside: 0.3,
}

/** A place that the search finds: by its title, by that of its page, and by the words that stand there. */
export interface SearchEntry {
  url: string
  kind: EntryKind
  title: string
  /** What it is a part of. */
  of: string
  words: string
  /** What stands there, without code: the one that answers is shown. */
  passages: string[]
}

/** What is shown of a place. */
export interface FoundEntry extends Pick<SearchEntry, 'url' | 'title' | 'of'> {
  /** The sentences of it that have most of what was typed, of no more than this many characters. */
  excerpt: (maxLength: number) => string
}

const OPTIONS: Options<SearchEntry> = {
  idField: 'url',
  fields: ['title', 'of', 'words'],
  storeFields: ['kind', 'title', 'of', 'passages'],
  tokenize: wordsOf,
  processTerm: toTerms,
}

/** The index of the entries, as it is served. */
export function makeIndex(entries: SearchEntry[]): string {
  const index = new MiniSearch(OPTIONS)
  index.addAll(entries)
  return JSON.stringify(index)
}

/** Finds entries in an index: those with all words first, then those with some. */
export function openIndex(json: string): (query: string) => FoundEntry[] {
  const index = MiniSearch.loadJSON(json, OPTIONS)
  return (query) => {
    const { typed, others } = toQueryTerms(query)
    const terms = [...others, ...typed]
    const found = index.search(terms.join(' '), {
      processTerm: (term) => term,
      tokenize: (text) => text.split(' ').filter((term) => term !== ''),
      boost: { title: 3, of: 1.5 },
      boostTerm: (_, position) => (position < others.length ? 0.7 : 1),
      boostDocument: (_, __, stored) => WEIGHTS[stored?.kind as EntryKind],
      prefix: (term, position) => position === terms.length - 1 && term.length > 1,
      fuzzy: (term) => term.length > 5 && 0.2,
    })
    return found.map(({ id, title, of, passages }) => ({
      url: id,
      title,
      of,
      excerpt: (maxLength) => excerptOf(passages, isNamed(title, typed) ? [] : terms, maxLength),
    }))
  }
}

/** Whether a title has all of these terms. */
function isNamed(title: string, terms: string[]): boolean {
  const present = new Set(wordsOf(title).flatMap(toTerms))
  return terms.every((term) => present.has(term))
}

/** The sentences with most of the terms; of several such, the first ones. Of a place whose title has them all, what it begins with. */
function excerptOf(passages: string[], terms: string[], maxLength: number): string {
  let best = { hits: -1, text: '' }
  for (const passage of passages) {
    const sentences = passage.split(/(?<=[.!?:;]) /)
    for (const start of sentences.keys()) {
      const text = shorten(sentences.slice(start).join(' '), maxLength)
      const present = new Set(wordsOf(text).flatMap(toTerms))
      const hits = terms.filter((term) => present.has(term)).length
      if (hits > best.hits) best = { hits, text }
    }
  }
  return best.text
}

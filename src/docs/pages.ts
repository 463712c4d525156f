import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { html, type Piece } from '../http/markup.ts'
import { type Content, toContent } from '../http/representations.ts'
import type { ApiDocument } from './api-document.ts'
import { type ArticlePage, readArticles } from './articles.ts'
import { createLayout } from './layout.ts'
import { toLlmsText } from './llms-text.ts'
import { referenceBody } from './reference.ts'
import { toSearchEntries } from './search-entries.ts'

const packages = join(import.meta.dirname, '../../packages')

const TYPES = {
  html: 'text/html; charset=utf-8',
  text: 'text/markdown; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * Everything below `/docs` by its path, and `/llms.txt`: the reference of a document, the guides, and what these pages load.
 * Made whole, for no page is without links to the others; 15 pages take some tens of milliseconds.
 */
export async function makePages(document: ApiDocument, hasExplorer: boolean): Promise<Map<string, Content>> {
  const [articles, ...files] = await Promise.all([
    readArticles(),
    ...['look/look.css', 'docs/docs.css', 'docs/docs.js', 'docs/icon.svg'].map((path) =>
      readFile(join(packages, path), 'utf8'),
    ),
  ])
  const [look = '', styles = '', script = '', icon = ''] = files
  const layout = createLayout(document, articles, hasExplorer)
  const { title } = document.info
  const guides = articles.guides.flatMap(({ pages }) => pages)
  const page = (url: string, name: string, summary: string, body: Piece): [string, Content] => {
    const about = { url, title: name === title ? title : `${name} – ${title}`, description: toDescription(summary) }
    return [url, toContent(layout(about, body), TYPES.html)]
  }
  return new Map([
    page('/docs', title, REFERENCE_SUMMARY, referenceBody(document)),
    page('/docs/guides', 'Guides', GUIDES_SUMMARY, guideList(articles.guides)),
    ...guides.map((guide, index) =>
      page(guide.url, guide.title, guide.summary, [guide.body, neighbours(guides[index - 1], guides[index + 1])]),
    ),
    ...articles.others.map(({ url, title, summary, body }) => page(url, title, summary, body)),
    ['/llms.txt', toContent(toLlmsText(document, guides), TYPES.text)],
    ['/docs/search.json', toContent(JSON.stringify(toSearchEntries(document, articles)))],
    ['/docs/docs.css', toContent(`${look}\n${styles}`, TYPES.css)],
    ['/docs/docs.js', toContent(script, TYPES.js)],
    ['/docs/icon.svg', toContent(icon, TYPES.svg)],
  ])
}

const REFERENCE_SUMMARY =
  'Reference of the reward campaign API: every operation with its parameters, responses and errors, to be tried on the page.'
const GUIDES_SUMMARY =
  'Guides to the reward campaign API: first request, filters, paging, amounts, errors, caching, and how to run the service.'

const MAX_DESCRIPTION = 160

/** As much of a summary as search engines show, in whole words. */
const toDescription = (summary: string) => {
  const line = summary.replace(/\s+/g, ' ').trim()
  return line.length <= MAX_DESCRIPTION ? line : `${line.slice(0, MAX_DESCRIPTION).replace(/\s\S*$/, '')} …`
}

const guideList = (groups: { title: string; pages: ArticlePage[] }[]) =>
  html`<h1>Guides</h1>${groups.map(
    ({ title, pages }, index) =>
      html`${index > 0 && html`<h2>${title}</h2>`}<ul class="guides">${pages.map((guide) => html`<li><a href="${guide.url}">${guide.title}</a><p>${guide.summary}</p></li>`)}</ul>`,
  )}`

const neighbours = (before: ArticlePage | undefined, after: ArticlePage | undefined) =>
  html`<nav class="neighbours" aria-label="Other guides">${before && html`<a rel="prev" href="${before.url}">${before.title}</a>`}${after && html`<a rel="next" href="${after.url}">${after.title}</a>`}</nav>`

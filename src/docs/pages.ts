import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { html } from '../http/markup.ts'
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
  const page = (url: string, name: string, body: Parameters<typeof layout>[2]): [string, Content] => [
    url,
    toContent(layout(url, name === title ? title : `${name} – ${title}`, body), TYPES.html),
  ]
  return new Map([
    page('/docs', title, referenceBody(document)),
    page('/docs/guides', 'Guides', guideList(articles.guides)),
    ...guides.map((guide, index) =>
      page(guide.url, guide.title, [guide.body, neighbours(guides[index - 1], guides[index + 1])]),
    ),
    ...articles.others.map(({ url, title, body }) => page(url, title, body)),
    ['/llms.txt', toContent(toLlmsText(document, guides), TYPES.text)],
    ['/docs/search.json', toContent(JSON.stringify(toSearchEntries(document, articles)))],
    ['/docs/docs.css', toContent(`${look}\n${styles}`, TYPES.css)],
    ['/docs/docs.js', toContent(script, TYPES.js)],
    ['/docs/icon.svg', toContent(icon, TYPES.svg)],
  ])
}

const guideList = (groups: { title: string; pages: ArticlePage[] }[]) =>
  html`<h1>Guides</h1>${groups.map(
    ({ title, pages }, index) =>
      html`${index > 0 && html`<h2>${title}</h2>`}<ul class="guides">${pages.map((guide) => html`<li><a href="${guide.url}">${guide.title}</a><p>${guide.summary}</p></li>`)}</ul>`,
  )}`

const neighbours = (before: ArticlePage | undefined, after: ArticlePage | undefined) =>
  html`<nav class="neighbours" aria-label="Other guides">${before && html`<a rel="prev" href="${before.url}">${before.title}</a>`}${after && html`<a rel="next" href="${after.url}">${after.title}</a>`}</nav>`

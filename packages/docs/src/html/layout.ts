import { html, type Markup, type Piece } from '../../../strict-http/src/markup.ts'
import { type ApiDocument, groupOperations } from '../content/api-document.ts'
import type { Articles } from '../content/articles.ts'
import { operationUrl } from './operations.ts'

interface Link {
  url: string
  title: string
  /** Places on the page, shown where it is the current one. */
  sections?: Link[]
}

interface Group {
  title: string
  links: Link[]
}

/** What a page says of itself to browsers and search engines. */
export interface PageAbout {
  url: string
  title: string
  /** One sentence or two, without markup. */
  description: string
}

/** What all pages have around them: the way to each other, and a search in all of them. */
export function createLayout(document: ApiDocument, articles: Articles, hasExplorer: boolean) {
  const operations = groupOperations(document).flatMap((group) => group.operations)
  /** On the page that has all operations, its own places; elsewhere the page of each. */
  const referenceFor = (current: string): Group => ({
    title: 'Reference',
    links: [
      { url: '/docs', title: 'Overview' },
      ...operations.map((operation) => ({
        url: current === '/docs' ? `/docs#${operation.operationId}` : operationUrl(operation),
        title: operation.summary,
      })),
      { url: '/docs#schemas', title: 'Schemas' },
    ],
  })
  const guides = articles.guides.map(({ title, pages }) => ({
    title,
    links: pages.map((page) => ({
      url: page.url,
      title: page.title,
      sections: page.sections.slice(1).map((section) => ({ url: `#${section.id}`, title: section.title })),
    })),
  }))
  const more = { title: 'More', links: articles.others.map(({ url, title, name = title }) => ({ url, title: name })) }
  /** Who reads guides goes on with guides. */
  const groupsFor = (current: string): Group[] =>
    current.startsWith('/docs/guides')
      ? [...guides, referenceFor(current), more]
      : [referenceFor(current), ...guides, more]

  const link = ({ url, title, sections = [] }: Link, current: string): Markup => {
    const isCurrent = url === current
    const navigation =
      isCurrent && sections.length > 0 && html`<ul>${sections.map((section) => link(section, current))}</ul>`
    return html`<li><a href="${url}"${isCurrent && html` aria-current="page"`}>${title}</a>${navigation}</li>`
  }

  return function page({ url, title, description }: PageAbout, body: Piece): string {
    const mark = (start: string, isWithin: boolean) =>
      isWithin && html` aria-current="${url === start ? 'page' : 'true'}"`
    return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<link rel="icon" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/docs.css">
<script type="module" src="/docs/docs.js"></script>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header class="top">
<a class="brand" href="/docs">${document.info.title}</a>
<nav aria-label="Service"><a href="/docs"${mark('/docs', url === '/docs' || url.startsWith('/docs/operations/'))}>Reference</a> <a href="/docs/guides"${mark('/docs/guides', url.startsWith('/docs/guides'))}>Guides</a>${hasExplorer && html` <a href="/">Explorer</a>`}</nav>
<search><label for="search">Search</label> <input id="search" type="search" autocomplete="off" spellcheck="false" aria-controls="found"><div id="found" hidden><p role="status"></p><ul></ul></div></search>
<button type="button" class="menu" aria-expanded="false" aria-controls="contents">Contents</button>
</header>
<div class="page">
<nav id="contents" aria-label="Contents">${groupsFor(url).map((group) => html`<p class="group">${group.title}</p><ul>${group.links.map((entry) => link(entry, url))}</ul>`)}</nav>
<main id="main" tabindex="-1">${body}</main>
</div>
</body>
</html>
`.text
  }
}

import { resolveReferences } from '../../example-requests/src/resolve-references.ts'
import { html, type Piece } from '../../strict-http/src/markup.ts'
import { type ApiDocument, groupOperations } from './content/api-document.ts'
import { type ArticlePage, type Articles, readArticles } from './content/articles.ts'
import { toLlmsFullText, toLlmsText } from './content/llms-text.ts'
import { openProject, type Project } from './content/project.ts'
import { toSearchEntries } from './content/search-entries.ts'
import { shorten } from './content/shorten.ts'
import { documentOf, folderOf, SERVED, type Served } from './content/surfaces.ts'
import { createLayout } from './html/layout.ts'
import { operationUrl } from './html/operations.ts'
import { operationBody, referenceBody } from './html/reference.ts'
import { makeIndex } from './search/search-index.ts'

/** What the pages are made of, besides the OpenAPI document. */
export interface Sources {
  articles: Articles
  /** Files that the pages load, by their names. */
  assets: [name: string, text: string][]
}

/** Reads them, for a service; what the pages search with is bundled. */
export async function readSources(project: Project, served: Served, searchScript: string): Promise<Sources> {
  const read = (file: string) => project.read(`packages/${file}`)
  return {
    articles: await readArticles(project, served),
    assets: [
      ['docs/docs.css', `${await read('look/look.css')}\n${await read('docs/docs.css')}`],
      ['docs/docs.js', await read('docs/docs.js')],
      ['docs/search.js', searchScript],
      ['docs/icon.svg', await read('docs/icon.svg')],
    ],
  }
}

/**
 * The files of all pages below `root`, in a folder for each set of what a service can serve: `public-staging-explorer/docs/guides.html`.
 * Where the operations are served, the service fills in.
 */
export async function makeFolders(root: string, searchScript: string) {
  const project = openProject(root)
  const document: ApiDocument = JSON.parse(await project.read('openapi.json'))
  const folders = await Promise.all(
    SERVED.map(async (served) => {
      const shown = resolveReferences(documentOf(document, served))
      const files = makePages(shown, await readSources(project, served, searchScript), served.hasExplorer)
      return [...files].map(([file, text]): [string, string] => [`${folderOf(served)}/${file}`, text])
    }),
  )
  return { pages: folders.flat(), sources: project.files }
}

/**
 * Everything below `/docs`, `/llms.txt` and `/llms-full.txt`, each as a file: the reference of a document, its operations alone, the guides, also
 * as Markdown, and what these pages load. Made whole, for no page is without links to the others.
 */
export function makePages(
  document: ApiDocument,
  { articles, assets }: Sources,
  hasExplorer: boolean,
): Map<string, string> {
  const layout = createLayout(document, articles, hasExplorer)
  const { title } = document.info
  const guides = articles.guides.flatMap(({ pages }) => pages)
  const operations = groupOperations(document).flatMap((group) =>
    group.operations.map((operation) => ({ ...operation, url: operationUrl(operation), title: operation.summary })),
  )
  const page = (url: string, name: string, summary: string, body: Piece): [string, string] => {
    const about = {
      url,
      title: name === title ? title : `${name} – ${title}`,
      description: shorten(summary, MAX_DESCRIPTION),
    }
    return [`${url.slice(1)}.html`, layout(about, body)]
  }
  return new Map([
    page('/docs', title, REFERENCE_SUMMARY, referenceBody(document)),
    ...operations.map((operation, index) =>
      page(operation.url, operation.title, `GET ${operation.path}: ${operation.description.replaceAll('`', '')}`, [
        operationBody(document, operation),
        neighbours('Other operations', operations[index - 1], operations[index + 1]),
      ]),
    ),
    page('/docs/guides', 'Guides', GUIDES_SUMMARY, guideList(articles.guides)),
    ...guides.map((guide, index) =>
      page(guide.url, guide.title, guide.summary, [
        guide.body,
        neighbours('Other guides', guides[index - 1], guides[index + 1]),
      ]),
    ),
    ...articles.others.map(({ url, title, summary, body }) => page(url, title, summary, body)),
    ...guides.map(({ url, markdown }): [string, string] => [`${url.slice(1)}.md`, markdown]),
    ['llms.txt', toLlmsText(document, guides)],
    ['llms-full.txt', toLlmsFullText(document, guides)],
    ['docs/search.json', makeIndex(toSearchEntries(document, articles))],
    ...assets,
  ])
}

const REFERENCE_SUMMARY =
  'Reference of the reward campaign API: every operation with its parameters, responses and errors, to be tried on the page.'
const GUIDES_SUMMARY =
  'Guides to the reward campaign API: first request, filters, paging, amounts, errors, caching, and how to run the service.'

/** As much of a summary as search engines show. */
const MAX_DESCRIPTION = 160

const guideList = (groups: { title: string; pages: ArticlePage[] }[]) =>
  html`<h1>Guides</h1><h2>I want to …</h2><ul class="tasks">${groups
    .flatMap(({ pages }) => pages)
    .map(({ url, task }) => task !== undefined && html`<li><a href="${url}">${task}</a></li>`)}</ul>${groups.map(
    ({ title, pages }) =>
      html`<h2>${title}</h2><ul class="guides">${pages.map((guide) => html`<li><a href="${guide.url}">${guide.title}</a><p>${guide.summary}</p></li>`)}</ul>`,
  )}`

type Neighbour = Pick<ArticlePage, 'url' | 'title'> | undefined

const neighbours = (name: string, before: Neighbour, after: Neighbour) =>
  html`<nav class="neighbours" aria-label="${name}">${before && html`<a rel="prev" href="${before.url}">${before.title}</a>`}${after && html`<a rel="next" href="${after.url}">${after.title}</a>`}</nav>`

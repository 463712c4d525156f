import { posix } from 'node:path'
import { type Article, toArticle, withLinks } from '../html/markdown.ts'
import type { Project } from './project.ts'
import { hasGuide, type Served } from './surfaces.ts'

/** The guides in reading order; those for operators come last. */
const FOR_CALLERS = [
  ...['first-request', 'filters', 'paging', 'amounts', 'errors', 'caching', 'minimum-blocks', 'protected-operations'],
  ...['user-rewards', 'reward-states', 'following-changes', 'limits', 'versions', 'examples', 'demo', 'agents'],
]
const FOR_OPERATORS = [
  ...[
    'importing',
    'prices',
    'following-a-chain',
    'production',
    'deploying',
    'compose',
    'database-connections',
    'proxies',
    'health-checks',
  ],
  ...[
    'several-processes',
    'read-replicas',
    'failover',
    'monitoring',
    'traces',
    'checks-and-repairs',
    'capacity',
    'search-engines',
  ],
  ...['backup', 'upgrading', 'kubernetes', 'systemd', 'embedded-postgresql'],
]

/** What else is a page: its file, its address, and what it is called among the others. */
const OTHER_PAGES = [
  { file: 'docs/reference/settings.md', url: '/docs/settings', name: 'Settings' },
  { file: 'docs/reference/commands.md', url: '/docs/commands', name: 'Commands' },
  { file: 'docs/reference/metrics.md', url: '/docs/metrics', name: 'Metrics' },
  { file: 'docs/glossary.md', url: '/docs/glossary', name: 'Glossary' },
  { file: 'packages/client/README.md', url: '/docs/client', name: 'Typed client' },
  { file: 'README.md', url: '/docs/readme', name: 'README' },
  { file: 'CHANGELOG.md', url: '/docs/changelog', name: 'Changelog' },
]

/** What is no page and served all the same, by its file. */
const SERVED_FILES: Record<string, string> = { 'openapi.json': '/openapi.json', 'docs/guides': '/docs/guides' }

export interface ArticlePage extends Article {
  url: string
  /** What it is called among the others, where that is not its title. */
  name?: string
  /** What it was made of, with links as the pages have them. */
  markdown: string
}

export interface Articles {
  guides: { title: string; pages: ArticlePage[] }[]
  others: ArticlePage[]
}

/** Reads and renders all that is written in Markdown of a project for the pages of a service. */
export async function readArticles(project: Project, served: Served): Promise<Articles> {
  const names = (await project.list('docs/guides')).filter(
    (name) => name.endsWith('.md') && hasGuide(name.slice(0, -'.md'.length), served),
  )
  const urls = new Map([
    ...Object.entries(SERVED_FILES),
    ...OTHER_PAGES.map(({ file, url }): [string, string] => [file, url]),
    ...names.map((name): [string, string] => [`docs/guides/${name}`, `/docs/guides/${name.slice(0, -'.md'.length)}`]),
  ])
  const read = async (file: string): Promise<ArticlePage> => {
    const markdown = await project.read(file)
    const resolve = (link: string) => resolveLink(link, file, urls)
    // Who reads Markdown goes on in Markdown.
    const toMarkdown = (link: string) => resolve(link)?.replace(/^(\/docs\/guides\/[\w-]+)/, '$1.md')
    return {
      ...toArticle(markdown, resolve),
      url: urls.get(file) ?? '',
      markdown: withLinks(markdown, toMarkdown),
    }
  }
  const guides = await Promise.all(inOrder(names).map((name) => read(`docs/guides/${name}`)))
  const isForOperators = ({ url }: ArticlePage) => FOR_OPERATORS.includes(posix.basename(url))
  return {
    guides: [
      { title: 'Guides', pages: guides.filter((page) => !isForOperators(page)) },
      { title: 'Running the service', pages: guides.filter(isForOperators) },
    ].filter(({ pages }) => pages.length > 0),
    others: await Promise.all(OTHER_PAGES.map(async ({ file, name }) => ({ ...(await read(file)), name }))),
  }
}

/** File names as they are read; what has no place yet comes behind the others. */
function inOrder(names: string[]) {
  const order = [...FOR_CALLERS, ...FOR_OPERATORS]
  const positionOf = (name: string) => {
    const position = order.indexOf(name.slice(0, -'.md'.length))
    return position === -1 ? order.length : position
  }
  return [...names].sort((one, other) => positionOf(one) - positionOf(other) || one.localeCompare(other))
}

/** Where a link in a file leads on the pages; undefined for files that only a checkout has. */
function resolveLink(link: string, file: string, urls: ReadonlyMap<string, string>) {
  if (/^([a-z]+:|#|\/)/.test(link)) return link
  const [path = '', anchor] = link.split('#')
  const url = urls.get(posix.join(posix.dirname(file), path).replace(/\/$/, ''))
  return url === undefined || anchor === undefined ? url : `${url}#${anchor}`
}

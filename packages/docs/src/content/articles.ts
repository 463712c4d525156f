import { posix } from 'node:path'
import { type Article, toArticle, withLinks } from '../html/markdown.ts'
import type { Project } from './project.ts'
import { hasGuide, type Served } from './surfaces.ts'

/** All guides in reading order, by what a reader wants. */
export const GUIDES = [
  {
    title: 'Use the API',
    names: [
      ...['first-request', 'filters', 'paging', 'amounts', 'errors', 'caching', 'minimum-blocks'],
      ...['protected-operations', 'user-rewards', 'reward-states', 'limits', 'versions', 'examples', 'demo', 'agents'],
      'migrating',
    ],
  },
  { title: 'Take data out', names: ['following-changes', 'copies', 'search-engines'] },
  { title: 'Bring data in', names: ['importing', 'prices', 'following-a-chain'] },
  {
    title: 'Run the service',
    names: [
      ...['production', 'deploying', 'compose', 'database-connections', 'proxies', 'health-checks'],
      ...['several-processes', 'read-replicas', 'failover', 'monitoring', 'traces', 'checks-and-repairs', 'capacity'],
      ...['backup', 'upgrading', 'kubernetes', 'systemd', 'embedded-postgresql'],
    ],
  },
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
  /** What it is for, as the README puts it after "I want to …"; not of all guides. */
  task?: string
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
  const tasks = readTasks(await project.read('README.md'))
  // What has no place yet comes behind the others.
  const placed = new Set(GUIDES.flatMap((group) => group.names.map((name) => `${name}.md`)))
  const unplaced = names.filter((name) => !placed.has(name)).sort()
  const readGuide = async (name: string): Promise<ArticlePage> => {
    const guide = await read(`docs/guides/${name}`)
    const task = tasks.get(name)
    return task === undefined ? guide : { ...guide, task }
  }
  const groups = GUIDES.map(async (group, index) => {
    const inGroup = group.names.map((name) => `${name}.md`).filter((name) => names.includes(name))
    const shown = index < GUIDES.length - 1 ? inGroup : [...inGroup, ...unplaced]
    return { title: group.title, pages: await Promise.all(shown.map(readGuide)) }
  })
  return {
    guides: (await Promise.all(groups)).filter(({ pages }) => pages.length > 0),
    others: await Promise.all(OTHER_PAGES.map(async ({ file, name }) => ({ ...(await read(file)), name }))),
  }
}

/** The table of tasks in the README: what each guide in it is for, by the name of its file. */
const readTasks = (readme: string) =>
  new Map(
    [...readme.matchAll(/^\| ([^|]+) \| \[[^\]]+\]\(docs\/guides\/([\w-]+\.md)\) \|$/gm)].map(
      ([, task = '', name = '']): [string, string] => [name, task],
    ),
  )

/** Where a link in a file leads on the pages; undefined for files that only a checkout has. */
function resolveLink(link: string, file: string, urls: ReadonlyMap<string, string>) {
  if (/^([a-z]+:|#|\/)/.test(link)) return link
  const [path = '', anchor] = link.split('#')
  const url = urls.get(posix.join(posix.dirname(file), path).replace(/\/$/, ''))
  return url === undefined || anchor === undefined ? url : `${url}#${anchor}`
}

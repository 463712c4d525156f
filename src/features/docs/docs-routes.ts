import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Content, createRepresentations } from 'reward-campaigns-strict-http/content/representations'
import { escapeText } from 'reward-campaigns-strict-http/markup'
import { createPage } from 'reward-campaigns-strict-http/relative-links'

/** Addresses of pages; what is there is known when they are read. */
const PATHS = [
  '/llms.txt',
  '/llms-full.txt',
  '/docs',
  '/docs/:page',
  '/docs/guides/:guide',
  '/docs/operations/:operation',
]

/** The base URLs of the operations of each surface. */
interface BaseUrls {
  PUBLIC_BASE_URL: string
  STAGING_BASE_URL: string
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.txt': 'text/markdown; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The pages may load only what this service serves, and may send requests to the operations' URLs. */
function docsPolicy(baseUrls: string[]) {
  const origins = baseUrls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin)
  const connectable = [...new Set(["'self'", ...origins])].join(' ')
  return (
    `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src ${connectable}; ` +
    "img-src 'self'; script-src 'self'; style-src 'self'"
  )
}

/** The pages by their paths, with the addresses of the operations filled in. */
async function readPages(folder: string, baseUrls: BaseUrls) {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const read = async ({ parentPath, name }: Dirent): Promise<[path: string, (url: string) => Content]> => {
    const path = `${parentPath.slice(folder.length).replaceAll(sep, '/')}/${name}`
    const type = extname(name)
    const toText = (url: string) => (type === '.html' ? escapeText(url) : url.replace(/\/$/, ''))
    const text = (await readFile(join(parentPath, name), 'utf8'))
      .replaceAll('{{PUBLIC_BASE_URL}}', () => toText(baseUrls.PUBLIC_BASE_URL))
      .replaceAll('{{STAGING_BASE_URL}}', () => toText(baseUrls.STAGING_BASE_URL))
    // Its tag is of what is in it: files of two builds can be of the same size and time.
    return [path.replace(/\.html$/, ''), createPage(text, TYPES[type] ?? 'application/octet-stream')]
  }
  return new Map(await Promise.all(files.map(read)))
}

/**
 * `/docs`: the reference, a page for each operation and the guides, which need nothing from the internet; `/llms.txt`: what leads a language model to
 * both; `/llms-full.txt`: all guides. Their files are made with the commands (`packages/docs`), and read with the first request for one of them.
 */
export function serveDocs(app: FastifyInstance, folder: string, baseUrls: BaseUrls) {
  const policy = docsPolicy([baseUrls.PUBLIC_BASE_URL, baseUrls.STAGING_BASE_URL])
  const representations = createRepresentations('public, no-cache', { isLasting: true })
  let pages: Promise<Map<string, (url: string) => Content>> | undefined
  async function send(request: FastifyRequest, reply: FastifyReply) {
    pages ??= readPages(folder, baseUrls)
    // What goes wrong once is tried again.
    pages.catch(() => {
      pages = undefined
    })
    const [path = ''] = request.url.split('?')
    const page = (await pages).get(path.replace(/\/$/, ''))
    if (page === undefined) return reply.callNotFound()
    void reply.header('content-security-policy', policy)
    await representations.send(request, reply, page(request.url))
    return reply
  }
  for (const url of PATHS) app.get(url, { schema: { hide: true } }, send)
}

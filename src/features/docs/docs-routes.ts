import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { escapeText } from '../../http/markup.ts'
import { createRepresentations, toContent } from '../../http/representations.ts'

/** Where the operations of each surface are served. */
interface BaseUrls {
  PUBLIC_BASE_URL: string
  STAGING_BASE_URL: string
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.txt': 'text/markdown; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** What the pages may load: what this service itself serves. To try operations they may ask where these are served too. */
function docsPolicy(baseUrls: string[]) {
  const origins = baseUrls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin)
  const connectable = [...new Set(["'self'", ...origins])].join(' ')
  return (
    `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src ${connectable}; ` +
    "img-src 'self'; script-src 'self'; style-src 'self'"
  )
}

/**
 * `/docs`: the reference and the guides, which need nothing from the internet; `/llms.txt`: what leads a language model to
 * both. Their files are made with the commands (`packages/docs`), but for the addresses of the operations. Tags are of what
 * is in a file: two builds can be of the same size and time.
 */
export async function serveDocs(app: FastifyInstance, folder: string, baseUrls: BaseUrls) {
  const policy = docsPolicy([baseUrls.PUBLIC_BASE_URL, baseUrls.STAGING_BASE_URL])
  const representations = createRepresentations('public, no-cache')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name)
    const extension = extname(file)
    const toText = (url: string) => (extension === '.html' ? escapeText(url) : url.replace(/\/$/, ''))
    const text = (await readFile(file, 'utf8'))
      .replaceAll('{{PUBLIC_BASE_URL}}', () => toText(baseUrls.PUBLIC_BASE_URL))
      .replaceAll('{{STAGING_BASE_URL}}', () => toText(baseUrls.STAGING_BASE_URL))
    const content = toContent(text, TYPES[extension])
    const path = file
      .slice(folder.length)
      .replaceAll(sep, '/')
      .replace(/\.html$/, '')
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      void reply.header('content-security-policy', policy)
      await representations.send(request, reply, content, () => undefined)
      return reply
    })
  }
}

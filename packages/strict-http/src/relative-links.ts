import { type Content, toContent } from './content/representations.ts'

/*
 * Responses and pages name other paths of the service relative to the requested one. So they stay right below a path prefix,
 * which a proxy takes off before the service sees it.
 */

/** The way from a requested URL to the root of the service: `./`, `../`, … */
function toRoot(url: string) {
  const [path = ''] = url.split('?')
  return '../'.repeat(path.split('/').length - 2) || './'
}

/** A path of the service, relative to a requested URL. */
export const toRelativeUrl = (path: string, url: string) => toRoot(url) + path.slice(1)

/**
 * The URL of a path of the service, for what is read apart from the response that it came with: problem details and a
 * catalog of APIs. All else is relative to the request.
 */
export const toServiceUrl = (baseUrl: string, path: string) => `${baseUrl.replace(/\/$/, '')}${path}`

const HTML_LINK = /(?<= (?:href|src)=")\//g
const MARKDOWN_LINK = /(?<=\]\()\//g

/** HTML whose links to paths of the service are relative to a requested URL. */
export const toRelativeHtml = (text: string, url: string) => text.replace(HTML_LINK, () => toRoot(url))

const toRelativeMarkdown = (text: string, url: string) => text.replace(MARKDOWN_LINK, () => toRoot(url))

/** A page as it is sent for a URL. It is made once for each depth: the same path with a slash at its end is deeper. */
export function createPage(text: string, type: string): (url: string) => Content {
  const contents = new Map<string, Content>()
  return (url) => {
    const root = toRoot(url)
    const content = contents.get(root) ?? toContent(toRelative(text, type, url), type)
    contents.set(root, content)
    return content
  }
}

function toRelative(text: string, type: string, url: string) {
  if (type.startsWith('text/html')) return toRelativeHtml(text, url)
  return type.startsWith('text/markdown') ? toRelativeMarkdown(text, url) : text
}

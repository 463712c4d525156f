import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { type Document, readAllDocuments, root } from '../../setup/documents/documents.ts'
import { startTestApp } from '../../setup/test-app.ts'

/*
 * Every link in what is written for people leads somewhere. What lies elsewhere in the world is not asked: only its form.
 */

interface Link {
  /** `file:line`, of the document. */
  place: string
  path: string
  target: string
}

/** Without code, in which nothing is a link; lines stay where they are. */
function proseOf({ lines, blocks }: Document) {
  return lines.map((line, index) =>
    blocks.some((block) => block.line <= index + 1 && index + 1 <= block.lastLine)
      ? ''
      : line.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, (code) => 'x'.repeat(code.length)),
  )
}

/** `[text](target)`, `<https://…>`, `[name]: target`, `src="…"` and `href="…"`; a text may begin on the line before. */
const LINK =
  /\]\(\s*<?([^)\s>]+)>?[^)]*\)|<((?:https?|mailto):[^>\s]+)>|^ {0,3}\[[^\]]+\]:\s*(\S+)|\s(?:src|href)="([^"]+)"/g

const linksOf = (document: Document): Link[] =>
  proseOf(document).flatMap((line, index) =>
    [...line.matchAll(LINK)].map((match) => ({
      place: `${document.path}:${index + 1}`,
      path: document.path,
      target: match.slice(1).find((target) => target !== undefined) ?? '',
    })),
  )

/** What a heading is called in a URL, by the rules of GitHub. */
const toSlug = (heading: string) =>
  heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')

function anchorsOf({ lines, blocks }: Document) {
  const anchors = new Set<string>()
  for (const [index, line] of lines.entries()) {
    if (blocks.some((block) => block.line <= index + 1 && index + 1 <= block.lastLine)) continue
    for (const [, id = ''] of line.matchAll(/\b(?:id|name)="([^"]+)"/g)) anchors.add(id)
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1]
    if (heading === undefined) continue
    const slug = toSlug(heading)
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** Where the service is in examples. */
const SERVICE = /^https?:\/\/(?:127\.0\.0\.1|localhost):3000(?=\/|$)/

type Query = (url: string) => Promise<number>

/** What is wrong with a link, if anything is. */
async function whyDead({ path, target }: Link, documents: Map<string, Document>, ask: Query) {
  if (target.startsWith('/') || SERVICE.test(target)) {
    const status = await ask(target.replace(SERVICE, '').replace(/#.*$/, '') || '/')
    return status < 400 ? undefined : `the service answers ${status}`
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) {
    if (/^mailto:[^@\s]+@[^@\s]+$/.test(target)) return undefined
    const isWeb = URL.canParse(target) && /^https?:$/.test(new URL(target).protocol)
    return isWeb ? undefined : 'not the URL of a page'
  }
  const [file = '', anchor] = target.split('#', 2)
  const found = file === '' ? path : relative(root, join(root, dirname(path), decodeURIComponent(file)))
  if (found.startsWith('../..')) return 'outside of the project'
  const document = documents.get(found)
  if (document === undefined && !existsSync(join(root, found))) return 'there is no such file'
  if (anchor === undefined) return undefined
  if (document === undefined) return statSync(join(root, found)).isFile() ? 'no document has anchors there' : 'a folder'
  return anchorsOf(document).has(anchor) ? undefined : 'there is no such heading'
}

async function findDead(documents: Document[], ask: Query) {
  const byPath = new Map(documents.map((document) => [document.path, document]))
  const dead: string[] = []
  for (const link of documents.flatMap(linksOf)) {
    const reason = await whyDead(link, byPath, ask)
    if (reason !== undefined) dead.push(`${link.place}: ${link.target}: ${reason}`)
  }
  return dead
}

test('every link leads somewhere', async () => {
  await using api = await startTestApp()
  const documents = readAllDocuments()
  expect(documents.flatMap(linksOf).length).toBeGreaterThan(60)
  expect(await findDead(documents, async (url) => (await api.get(url)).statusCode)).toEqual([])
})

test('a link that leads nowhere is named with its place and what is wrong', async () => {
  const written = `# Two  words, \`code\` & a [link](LICENSE-of-nothing.md)
Fine: [a](#again), [b](../src/app.ts "title"), <https://example.com/>, [c](/campaigns), \`[no](link)\`
## Again
## Again
[d](#again-1) [e](#again-2) [f](missing.md) [g](other.md#part) [h](other.md#parts) [over
two lines](nowhere.md)
\`\`\`sh
[no](link)
\`\`\`
![i](picture.png) [j](/nothing) [k](http://127.0.0.1:3000/nothing#x) [l](javascript:alert) [m](../../../up.md)
[n]: gone.md
<img src="gone.png">`
  const document = (path: string, text: string): Document => ({
    path,
    lines: text.split('\n'),
    blocks: text.includes('```') ? [{ language: 'sh', text: '', line: 7, lastLine: 9 }] : [],
  })
  const documents = [document('docs/architecture.md', written), document('docs/other.md', '# Part\n')]
  const dead = await findDead(documents, async (url) => (url === '/campaigns' ? 200 : 404))
  expect(dead).toEqual([
    'docs/architecture.md:1: LICENSE-of-nothing.md: there is no such file',
    'docs/architecture.md:5: #again-2: there is no such heading',
    'docs/architecture.md:5: missing.md: there is no such file',
    'docs/architecture.md:5: other.md#parts: there is no such heading',
    'docs/architecture.md:6: nowhere.md: there is no such file',
    'docs/architecture.md:10: picture.png: there is no such file',
    'docs/architecture.md:10: /nothing: the service answers 404',
    'docs/architecture.md:10: http://127.0.0.1:3000/nothing#x: the service answers 404',
    'docs/architecture.md:10: javascript:alert: not the URL of a page',
    'docs/architecture.md:10: ../../../up.md: outside of the project',
    'docs/architecture.md:11: gone.md: there is no such file',
    'docs/architecture.md:12: gone.png: there is no such file',
  ])
})

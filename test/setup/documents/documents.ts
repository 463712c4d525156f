import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GUIDES } from '../../../packages/docs/src/content/articles.ts'

/*
 * What is written for people: Markdown files, their fenced blocks and their links.
 */

export const root = join(import.meta.dirname, '../../..')

/** What stands between two fences. */
export interface Block {
  language: string
  text: string
  /** Line of the fence that opens it, from 1. */
  line: number
  /** Line of the fence that closes it. */
  lastLine: number
}

export interface Document {
  /** Below the root of the project. */
  path: string
  lines: string[]
  blocks: Block[]
}

export function readDocument(path: string): Document {
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  const blocks: Block[] = []
  let open: Block | undefined
  for (const [index, line] of lines.entries()) {
    const [, language] = /^```(.*)$/.exec(line) ?? []
    if (language === undefined) {
      if (open !== undefined) open.text += `${line}\n`
    } else if (open === undefined) {
      open = { language, text: '', line: index + 1, lastLine: 0 }
    } else {
      blocks.push({ ...open, lastLine: index + 1 })
      open = undefined
    }
  }
  if (open !== undefined) throw new Error(`${path}:${open.line}: a block without an end`)
  return { path, lines, blocks }
}

/** Of a block that begins where this one ends, but for empty lines. */
export function blockBehind({ blocks, lines }: Document, { lastLine }: Block, language: string) {
  const next = blocks.find(({ line }) => line > lastLine)
  if (next?.language !== language) return undefined
  return lines.slice(lastLine, next.line - 1).every((line) => line === '') ? next : undefined
}

/** The text of a file with other lines between its comments `name:begin` and `name:end`. */
export function withLines(path: string, name: string, lines: string[]) {
  const [before, , after] = readFileSync(join(root, path), 'utf8').split(
    new RegExp(`(?<=<!-- ${name}:begin -->\n)(.*?)(?=<!-- ${name}:end -->)`, 's'),
  )
  if (after === undefined) throw new Error(`${path} has no place for ${name}`)
  return `${before}${lines.map((line) => `${line}\n`).join('')}${after}`
}

export const README = readDocument('README.md')

/** The guides in the order in which they are to be read. */
export const guides = GUIDES.flatMap(({ names }) => names).map((name) => readDocument(`docs/guides/${name}.md`))

/** Every Markdown file that a reader may come to. */
export function readAllDocuments() {
  const below = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  const packages = readdirSync(join(root, 'packages')).map((name) => join('packages', name, 'README.md'))
  const atRoot = readdirSync(root).filter((name) => /^[A-Z]+\.md$/.test(name))
  const candidates = [...atRoot, ...['docs', 'src', 'packages/strict-http/src'].flatMap(below), ...packages].filter(
    (path) => path.endsWith('.md'),
  )
  return candidates.flatMap((path) => {
    try {
      return [readDocument(path)]
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
      throw error
    }
  })
}

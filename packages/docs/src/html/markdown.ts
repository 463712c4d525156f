import { Marked, type Token, type Tokens } from 'marked'
import { html, Markup } from '../../../strict-http/src/markup.ts'
import { codeBlock } from './code.ts'

/** A part of a page that can be linked to. */
interface Section {
  id: string
  title: string
  text: string
  /** Its paragraphs, items of lists and rows of tables, without code. */
  passages: string[]
}

/** A Markdown file as a page shows it. */
export interface Article {
  title: string
  /** Its first paragraph that is no picture, as plain text. */
  summary: string
  sections: Section[]
  /** What its tables of terms explain. */
  terms: Section[]
  body: Markup
}

/** Makes a page of Markdown; `resolve` says where a link of it leads on the pages, if anywhere. */
export function toArticle(markdown: string, resolve: (link: string) => string | undefined): Article {
  const marked = createRenderer(resolve)
  const tokens = marked.lexer(markdown)
  const sections: Article['sections'] = []
  const toId = createIds()
  for (const token of tokens) {
    const text = plainText(token)
    if (token.type === 'heading') sections.push({ id: toId(text), title: text, text: '', passages: [] })
    else {
      const section = sections.at(-1)
      if (section === undefined) continue
      section.text += ` ${text}`
      section.passages.push(...passagesOf(token))
    }
  }
  const [title] = sections
  if (title === undefined) throw new TypeError('the Markdown has no title')
  const first = tokens.find((token) => token.type === 'paragraph' && !token.tokens?.every(isPicture))
  return {
    title: title.title,
    summary: first === undefined ? '' : plainText(first),
    sections,
    terms: tokens.filter(isTermTable).flatMap(({ rows }) =>
      rows.map(([term, ...others]) => {
        const [title, text] = [toText(term), others.map(toText).join(' ')]
        return { id: toTermId(title), title, text, passages: [text] }
      }),
    ),
    body: new Markup(marked.parser(tokens)),
  }
}

/** The Markdown itself with links that lead somewhere on the pages; what leads nowhere there is text. */
export function withLinks(markdown: string, resolve: (link: string) => string | undefined): string {
  let linked = markdown
  const marked = new Marked()
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type !== 'link') return
    const target = resolve(token.href)
    linked = linked.replaceAll(token.raw, () => (target === undefined ? token.text : `[${token.text}](${target})`))
  })
  return linked
}

/** One line of Markdown: descriptions in the OpenAPI document are such. */
export function inline(text: string | undefined): Markup {
  return new Markup(descriptions.parseInline(text ?? '', { async: false }))
}

/** Paragraphs and tables of a description. */
export const paragraphs = (text: string): Markup => new Markup(descriptions.parse(text, { async: false }))

/** IDs of headings as GitHub makes them, so that links to sections lead there too. */
function createIds() {
  const seen = new Map<string, number>()
  return (title: string) => {
    const id = title
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(id) ?? 0
    seen.set(id, count + 1)
    return count === 0 ? id : `${id}-${count}`
  }
}

const isPicture = (token: Token) => token.type === 'image'

/** A table whose first column has terms, each of which can be linked to. */
const isTermTable = (token: Token): token is Tokens.Table =>
  token.type === 'table' && toText(token.header[0]) === 'term'

const toTermId = (term: string) => `term-${term.replace(/[^\p{L}\p{N}]+/gu, '-')}`

const toText = (cell?: Tokens.TableCell) => cell?.tokens.map(plainText).join('') ?? ''

const rowsText = (rows: Tokens.TableCell[][]) => rows.flat().map(toText).join(' ')

/** The words of a token without its marks. */
function plainText(token: Token): string {
  if (token.type === 'html' || isPicture(token)) return ''
  if (token.type === 'list') return token.items.map(plainText).join(' ')
  if (token.type === 'table') {
    return rowsText([token.header, ...token.rows])
  }
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(plainText).join('')
  return 'text' in token ? token.text : ''
}

function passagesOf(token: Token): string[] {
  if (token.type === 'code') return []
  if (token.type === 'list') return token.items.map(plainText)
  if (token.type === 'table') return (token as Tokens.Table).rows.map((cells) => cells.map(toText).join(': '))
  const text = plainText(token)
  return text === '' ? [] : [text]
}

function createRenderer(resolve: (link: string) => string | undefined) {
  const toId = createIds()
  return new Marked({
    renderer: {
      code: ({ text, lang = '' }) => codeBlock(text, lang).text,
      // No HTML of a file becomes HTML of a page; comments say nothing to readers.
      html: ({ text }) => (text.startsWith('<!--') ? '' : html`${text}`.text),
      // Only a checkout has the files of pictures; a caption alone shows nothing.
      image: () => '',
      paragraph({ tokens }) {
        return tokens.every(isPicture) ? '' : html`<p>${new Markup(this.parser.parseInline(tokens))}</p>\n`.text
      },
      heading(token) {
        const { depth, tokens } = token
        const id = toId(plainText(token))
        const content = new Markup(this.parser.parseInline(tokens))
        const heading = depth === 1 ? content : html`<a class="anchor" href="#${id}">${content}</a>`
        return html`<h${depth} id="${id}">${heading}</h${depth}>\n`.text
      },
      link({ href, tokens }) {
        const content = new Markup(this.parser.parseInline(tokens))
        const target = resolve(href)
        return target === undefined ? content.text : html`<a href="${target}">${content}</a>`.text
      },
      table(token) {
        const row = (cells: Tokens.TableCell[], name: 'th' | 'td') =>
          html`<tr${name === 'td' && isTermTable(token) && html` id="${toTermId(toText(cells[0]))}"`}>${cells.map((cell) => html`<${new Markup(name)}>${new Markup(this.parser.parseInline(cell.tokens))}</${new Markup(name)}>`)}</tr>`
        return html`<div class="table" role="group" aria-label="Table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${token.rows.map((cells) => row(cells, 'td'))}</tbody></table></div>`
          .text
      },
    },
  })
}

const descriptions = createRenderer((link) => link)

/** A fragment of a page: HTML, as opposed to text that still has to be escaped. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The values in a template: text and numbers are escaped, absent ones are left out. */
export type Piece = Markup | string | number | undefined | false | readonly Piece[]

/** A fragment from a template: each value is escaped, unless it is a fragment itself. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Markup {
  return new Markup(strings.reduce((text, string, index) => `${text}${toHtml(pieces[index - 1])}${string}`))
}

function toHtml(piece: Piece): string {
  if (piece === undefined || piece === false) return ''
  if (piece instanceof Markup) return piece.text
  if (typeof piece === 'object') return piece.map(toHtml).join('')
  return escapeText(String(piece))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as it is written in an element or in an attribute. */
export const escapeText = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)

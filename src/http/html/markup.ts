/** A piece of a page: HTML as it is, and not text that still has to be escaped. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What a template may hold: text and numbers are escaped, nothing is left out for what is absent. */
export type Piece = Markup | string | number | undefined | false | readonly Piece[]

/** A piece of a page from a template: whatever is put into it is escaped, unless it is a piece itself. */
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

/** Text as it stands in an element or in an attribute. */
export const escapeText = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)

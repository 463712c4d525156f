import { html } from 'reward-campaigns-strict-http/markup'

/** The metadata of a page, for browsers, search engines and link previews (Open Graph). */
export interface PageHead {
  title: string
  description: string
  imageUrl?: string | undefined
}

const SITE = 'Reward Campaigns'
const MAX_TITLE = 90
const MAX_DESCRIPTION = 200

/** Control characters, and marks that change the direction of the text around them. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Text of a record on one line, truncated between characters. */
function toLine(text: string, maxCharacters: number) {
  // A character of several code points is rarely longer than this; the rest of a long text is not read.
  const line = text
    .slice(0, maxCharacters * 16)
    .replace(INVISIBLE, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const characters = [...graphemes.segment(line)]
  if (characters.length <= maxCharacters) return line
  return `${line.slice(0, characters[maxCharacters - 1]?.index).trimEnd()}…`
}

/** Elements for the head of a page, escaped. The image is shown only if it has an absolute URL. */
export function toHeadElements({ title, description, imageUrl }: PageHead): string {
  const name = toLine(title, MAX_TITLE)
  const text = toLine(description, MAX_DESCRIPTION)
  const image = imageUrl !== undefined && /^https:\/\/\S{1,1000}$/.test(imageUrl) ? imageUrl : undefined
  return html`<title>${name} · ${SITE}</title>
    <meta name="description" content="${text}">
    <meta property="og:type" content="website">
    <meta property="og:site_name" content="${SITE}">
    <meta property="og:title" content="${name}">
    <meta property="og:description" content="${text}">${
      image &&
      html`
    <meta property="og:image" content="${image}">`
    }`.text
}

/** Characters as people see them: a letter with its marks, a flag, a family of emojis. */
const characters = new Intl.Segmenter('und')

/** Maximum length of a grapheme; a longer one may be cut. */
const LONGEST_CHARACTER = 64

/** Truncates a text to so many UTF-16 units, between characters, with `…` in place of the rest. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const start = text.slice(0, maxLength + LONGEST_CHARACTER)
  const end = characters.segment(start).containing(maxLength)?.index
  return `${text.slice(0, end ?? maxLength)}…`
}

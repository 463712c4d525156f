/** Characters as people see them: a letter with its marks, a flag, a family of emojis. */
const characters = new Intl.Segmenter('und')

/** More than any character takes that somebody writes; what is longer is not looked through for the end of one. */
const LONGEST_CHARACTER = 64

/** At most so many UTF-16 units of a text, cut between characters, with `…` in place of the rest. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const start = text.slice(0, maxLength + LONGEST_CHARACTER)
  const end = characters.segment(start).containing(maxLength)?.index
  return `${text.slice(0, end ?? maxLength)}…`
}

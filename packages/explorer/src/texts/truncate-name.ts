const MAX_CHARACTERS = 24

/** A name or symbol of a stranger for the middle of a line: it neither turns what follows around nor pushes it away. */
export function brief(text: string, max = MAX_CHARACTERS): string {
  const characters = [...text.replace(/\p{Cf}/gu, '').trim()]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : characters.join('')
}

/** A name as people gave it, whatever is in it: in its own direction, and in no more than a few lines. */
export function Name({ text }: { text: string }) {
  return (
    <bdi class="given" title={text.length > 60 ? text : undefined}>
      {text}
    </bdi>
  )
}

/** A letter, where there is no picture. */
export function Mark({ text }: { text: string }) {
  const [letter = '?'] = text.replace(/^0x/i, '').match(/[\p{L}\p{N}]/u) ?? []
  return (
    <span class={`mark mark-${hueOf(text)}`} aria-hidden="true">
      {letter.toUpperCase()}
    </span>
  )
}

/** The same text has the same of six hues everywhere. */
const hueOf = (text: string) =>
  [...text].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 6, 0)

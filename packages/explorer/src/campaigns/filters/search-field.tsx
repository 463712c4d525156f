import { useEffect, useRef, useState } from 'preact/hooks'

/** Who has stopped for so long wants to see what it finds. */
const PAUSE_MS = 300

/** As many characters as the service takes. */
const MAX_LENGTH = 128

/**
 * Words that are searched for as one types, after each pause.
 *
 * @param written what the address says. What is typed since stays, with its spaces.
 * @param send sends the form.
 */
export function SearchField({ written, send }: { written: string; send: (form: HTMLFormElement) => void }) {
  const [text, setText] = useState(written)
  const known = useRef(written)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (written !== known.current) setText(written)
    known.current = written
  }, [written])
  useEffect(() => () => clearTimeout(pause.current), [])
  return (
    <label class="field wide">
      Search
      <input
        type="search"
        name="search"
        value={text}
        maxLength={MAX_LENGTH}
        placeholder="Names of campaigns and rewards"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget: { value, form } }) => {
          setText(value)
          clearTimeout(pause.current)
          pause.current = setTimeout(() => {
            if (form === null || value.trim() === known.current) return
            known.current = value.trim()
            send(form)
          }, PAUSE_MS)
        }}
      />
    </label>
  )
}

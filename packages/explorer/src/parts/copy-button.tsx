import { useEffect, useState } from 'preact/hooks'

const SHOWN_MS = 2_000

/** Copies a text, and says whether that worked. @param what the name of what is copied, for those who do not see it. */
export function CopyButton({ text, what, label = 'Copy' }: { text: string; what: string; label?: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>()
  useEffect(() => {
    if (outcome === undefined) return undefined
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const onClick = () => {
    copy(text).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    )
  }
  return (
    <button type="button" class="copy" onClick={onClick} data-outcome={outcome}>
      {label}
      <span class="hidden"> {what}</span>
      {/* There from the start, so that what appears in it is read out. */}
      <span class="said" role="status">
        {outcome === 'copied' ? 'Copied' : outcome === 'refused' && 'Not allowed'}
      </span>
    </button>
  )
}

/** Pages that did not come over TLS have no clipboard of their own; a selection can be copied all the same. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  if (!isCopied) throw new Error('the browser copies nothing')
}

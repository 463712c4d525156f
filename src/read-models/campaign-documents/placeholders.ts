/** Marks a placeholder in documents, and separates figures: a character that never occurs in JSON text. */
const MARK = '\u0001'

/** The names of placeholders: see make_campaign_documents for their meaning. */
const PLACEHOLDERS = ['isActive', 'availableBudgetUsd', 'addresses', 'claimedAmount', 'claimCount', 'token'] as const
type PlaceholderName = (typeof PLACEHOLDERS)[number]

/** The value of a placeholder; `of` identifies it if there are several of that name. */
export type ValueAt = (name: PlaceholderName, of: string) => string | undefined

const known: ReadonlySet<string> = new Set(PLACEHOLDERS)
const isPlaceholder = (name: string): name is PlaceholderName => known.has(name)

/** Alternating texts and placeholders of a document; or the state of a campaign, as its values. */
export const splitAtMarks = (text: string) => text.split(MARK)

export const hasPlaceholder = (document: string, name: PlaceholderName) => document.includes(MARK + name + MARK)

/**
 * A document, or a part of one, with values in place of its placeholders. @throws TypeError if one is unknown, or has
 * no value.
 */
export function fillDocument(document: string, valueAt: ValueAt): string {
  const pieces = splitAtMarks(document)
  for (let index = 1; index < pieces.length; index += 2) {
    const placeholder = pieces[index] ?? ''
    const colon = placeholder.indexOf(':')
    const name = colon === -1 ? placeholder : placeholder.slice(0, colon)
    const value = isPlaceholder(name) ? valueAt(name, colon === -1 ? '' : placeholder.slice(colon + 1)) : undefined
    if (value === undefined) throw new TypeError(`a document has a place for which there is no value: ${placeholder}`)
    pieces[index] = value
  }
  return pieces.join('')
}

/** Marks a placeholder in documents, and separates figures: a character that never occurs in JSON text. */
const MARK = '\u0001'

/** The names of placeholders: see make_campaign_documents for their meaning. */
const PLACE_NAMES = ['isActive', 'availableBudgetUsd', 'addresses', 'claimedAmount', 'claimCount', 'token'] as const
type PlaceName = (typeof PLACE_NAMES)[number]

/** The value of a placeholder; `of` identifies it if there are several of that name. */
export type ValueAt = (name: PlaceName, of: string) => string | undefined

const known: ReadonlySet<string> = new Set(PLACE_NAMES)
const isPlaceName = (name: string): name is PlaceName => known.has(name)

/** Alternating texts and placeholders of a document; or the state of a campaign, as its values. */
export const splitAtMarks = (text: string) => text.split(MARK)

export const hasPlace = (document: string, name: PlaceName) => document.includes(MARK + name + MARK)

/**
 * A document, or a part of one, with values in place of its placeholders. @throws TypeError if one is unknown, or has
 * no value.
 */
export function fillDocument(document: string, valueAt: ValueAt): string {
  const pieces = splitAtMarks(document)
  for (let index = 1; index < pieces.length; index += 2) {
    const place = pieces[index] ?? ''
    const colon = place.indexOf(':')
    const name = colon === -1 ? place : place.slice(0, colon)
    const value = isPlaceName(name) ? valueAt(name, colon === -1 ? '' : place.slice(colon + 1)) : undefined
    if (value === undefined) throw new TypeError(`a document has a place for which there is no value: ${place}`)
    pieces[index] = value
  }
  return pieces.join('')
}

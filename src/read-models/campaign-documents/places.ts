/** Stands, in documents and between figures, where JSON text never has it. */
const MARK = '\u0001'

/** What places are called: see make_campaign_documents for what belongs there. */
const PLACE_NAMES = ['isActive', 'availableBudgetUsd', 'addresses', 'claimedAmount', 'claimCount', 'token'] as const
type PlaceName = (typeof PLACE_NAMES)[number]

/** The value that belongs into a place; `of` says which one, where there are several of that name. */
export type ValueAt = (name: PlaceName, of: string) => string | undefined

const isPlaceName = (name: string): name is PlaceName => PLACE_NAMES.some((known) => known === name)

/** A document as texts and places by turns; or what the database says of a campaign, as its values. */
export const splitAtMarks = (text: string) => text.split(MARK)

export const hasPlace = (pieces: readonly string[], name: PlaceName) => pieces.includes(name)

/** The pieces of a document with values in its places. @throws TypeError where a place is unknown, or has no value. */
export const fillPlaces = (pieces: readonly string[], valueAt: ValueAt): string[] =>
  pieces.map((piece, index) => {
    if (index % 2 === 0) return piece
    const [name = ''] = piece.split(':', 1)
    const value = isPlaceName(name) ? valueAt(name, piece.slice(name.length + 1)) : undefined
    if (value === undefined) throw new TypeError(`a document has a place for which there is no value: ${piece}`)
    return value
  })

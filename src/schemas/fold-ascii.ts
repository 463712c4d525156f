/**
 * The canonical form of a text that is compared without case, for ASCII only. The database decides how other letters
 * are compared (`fold_case`), so texts with any of those are returned unchanged.
 */
export const foldAscii = (text: string) => (/^[\x20-\x7e]*$/.test(text) ? text.toLowerCase() : text)

/**
 * The one spelling of a text that is compared without case, as far as that is certain: ASCII alone. How other letters are
 * compared is for the database to say (`fold_case`), so texts with any of those stay as they are.
 */
export const foldAscii = (text: string) => (/^[\x20-\x7e]*$/.test(text) ? text.toLowerCase() : text)

/** Characters that act on a terminal, or reorder or hide what stands there. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Text of somebody else, for a terminal. */
export const toPrintable = (text: string) => text.replace(UNSEEN, '?')

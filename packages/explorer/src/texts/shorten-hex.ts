/** `0x1234…abcd` of something longer. */
export const shortenHex = (hex: string) => (hex.length > 14 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex)

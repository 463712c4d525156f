/** Stands for nobody, and where a contract could be for none; as a token, for the native one of the chain. */
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

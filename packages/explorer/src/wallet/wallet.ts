/*
 * All that asks a wallet. It is a script of its own, which shares nothing with that of the pages.
 */

export { connect, disconnect, findWallets } from './injected-wallets.ts'
export type { Call } from './send-claim.ts'
export { type Outcome, type Receipt, sendClaims } from './send-claims.ts'

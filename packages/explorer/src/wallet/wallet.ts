/*
 * All that asks a wallet. It is a script of its own, which shares nothing with that of the pages.
 */

export { connect, disconnect, findWallets } from './injected-wallets.ts'
export { type Call, sendClaim } from './send-claim.ts'

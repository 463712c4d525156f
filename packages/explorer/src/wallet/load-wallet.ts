/** What asks wallets, which is loaded when somebody wants to use one. @throws with a sentence for people. */
export const loadWallet = () =>
  import('./wallet.ts').catch((cause: unknown) => {
    throw new Error('The part of this page that uses wallets could not be loaded: reload the page.', { cause })
  })

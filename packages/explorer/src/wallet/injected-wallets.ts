/** What a wallet gives pages (EIP-1193). */
export interface Provider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
  on?(event: 'accountsChanged', listener: (accounts: readonly string[]) => void): unknown
}

/** A wallet of this browser, as it names itself. */
export interface Wallet {
  name: string
  provider: Provider
}

/** Wallets answer at once, in their own scripts. */
const RESPONSE_MS = 200

/** The wallets of this browser (EIP-6963). Nothing is asked of them before somebody wants one. */
export async function findWallets(): Promise<Wallet[]> {
  const found = new Map<string, Wallet>()
  const onAnnounced = (event: Event) => {
    const { info, provider } = (event as CustomEvent<{ info: { uuid: string; name: string }; provider: Provider }>)
      .detail
    found.set(info.uuid, { name: info.name, provider })
  }
  addEventListener('eip6963:announceProvider', onAnnounced)
  dispatchEvent(new Event('eip6963:requestProvider'))
  await new Promise((resolve) => setTimeout(resolve, RESPONSE_MS))
  removeEventListener('eip6963:announceProvider', onAnnounced)
  return [...found.values()]
}

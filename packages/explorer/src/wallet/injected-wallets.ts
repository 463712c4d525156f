import { toFailure } from './wallet-failures.ts'
import type { Connection, FoundWallet, Provider } from './wallet-state.ts'

/** Wallets that are there announce themselves at once. */
const ANNOUNCEMENT_MS = 200

/** What a wallet announces (EIP-6963). */
interface Announcement {
  info: { uuid: string; name: string }
  provider: Provider
}

/** The wallets of this browser, in the order in which they answer; none of them asks anybody anything for it. */
export async function findWallets(): Promise<FoundWallet[]> {
  const found = new Map<string, FoundWallet>()
  const onAnnouncement = (event: Event) => {
    if (!(event instanceof CustomEvent)) return
    const { info, provider } = event.detail as Announcement
    found.set(info.uuid, { id: info.uuid, name: info.name, provider })
  }
  addEventListener('eip6963:announceProvider', onAnnouncement)
  dispatchEvent(new Event('eip6963:requestProvider'))
  await new Promise((resolve) => setTimeout(resolve, ANNOUNCEMENT_MS))
  removeEventListener('eip6963:announceProvider', onAnnouncement)
  return [...found.values()]
}

/** What ends that a wallet is listened to. */
const endings = new WeakMap<Provider, () => void>()

/**
 * Asks a wallet for its account.
 *
 * @param onChange gets the account when another one is chosen, or the sentence that says why there is none any more.
 * @throws with a sentence for people.
 */
export async function connect(
  { name, provider }: FoundWallet,
  onChange: (change: { account: string } | { problem: string }) => void,
): Promise<Connection> {
  const accounts = await provider.request({ method: 'eth_requestAccounts' }).catch((failure: unknown) => {
    throw toFailure(failure)
  })
  const account = firstOf(accounts)
  if (account === undefined) throw new Error(`${name} has given no account.`)
  const onAccounts = (changed: unknown) => {
    const next = firstOf(changed)
    onChange(next === undefined ? { problem: `${name} is no longer connected with this page.` } : { account: next })
  }
  const onDisconnect = () => onChange({ problem: `${name} has lost its connection: use it again once it is back.` })
  provider.on?.('accountsChanged', onAccounts)
  provider.on?.('disconnect', onDisconnect)
  endings.set(provider, () => {
    provider.removeListener?.('accountsChanged', onAccounts)
    provider.removeListener?.('disconnect', onDisconnect)
  })
  return { name, provider, account }
}

/** The page uses the wallet no more. */
export function disconnect({ provider }: Connection) {
  endings.get(provider)?.()
  endings.delete(provider)
}

function firstOf(accounts: unknown): string | undefined {
  const [account] = Array.isArray(accounts) ? accounts : []
  return typeof account === 'string' ? account.toLowerCase() : undefined
}

import { useEffect, useState } from 'preact/hooks'
import type { Wallet } from './injected-wallets.ts'

/** The wallet that somebody has chosen on these pages, and its account: forgotten with the page. */
export interface ChosenWallet extends Wallet {
  account: string
}

let chosen: ChosenWallet | undefined
const listeners = new Set<() => void>()

function choose(wallet: ChosenWallet | undefined) {
  chosen = wallet
  for (const listener of listeners) listener()
}

/**
 * Asks a wallet for its account.
 * @returns the account, in lower case; undefined if the wallet gives none.
 */
export async function connectTo(wallet: Wallet): Promise<string | undefined> {
  const toChosen = (accounts: readonly string[]) => {
    const account = accounts[0]?.toLowerCase()
    choose(account === undefined ? undefined : { ...wallet, account })
    return account
  }
  const accounts = (await wallet.provider.request({ method: 'eth_requestAccounts' })) as string[]
  if (chosen?.provider !== wallet.provider) wallet.provider.on?.('accountsChanged', toChosen)
  return toChosen(accounts)
}

/** The chosen wallet; undefined before there is one. */
export function useChosenWallet(): ChosenWallet | undefined {
  const [wallet, setWallet] = useState(chosen)
  useEffect(() => {
    const listener = () => setWallet(chosen)
    listeners.add(listener)
    listener()
    return () => {
      listeners.delete(listener)
    }
  }, [])
  return wallet
}

import { useEffect, useState } from 'preact/hooks'
import type { Claim } from 'reward-campaigns-client'

/** What an injected wallet is asked by (EIP-1193). */
export interface Provider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
  on?(event: string, listener: (value: unknown) => void): unknown
  removeListener?(event: string, listener: (value: unknown) => void): unknown
}

/** A wallet that was found in the browser. */
export interface FoundWallet {
  id: string
  name: string
  provider: Provider
}

/** A wallet that may be used, and its account. */
export interface Connection {
  name: string
  provider: Provider
  /** In lower case. */
  account: string
}

interface WalletState {
  connection: Connection | undefined
  /** What stands in the way, in a sentence. */
  problem: string | undefined
  /** One claim at a time: a wallet has one chain. */
  isClaiming: boolean
  /** Claims of this visit, the newest first. */
  claimed: readonly Claim[]
}

/** For as long as the page is open, and nowhere else. */
let state: WalletState = { connection: undefined, problem: undefined, isClaiming: false, claimed: [] }

const listeners = new Set<() => void>()

export function changeWallet(change: Partial<WalletState>) {
  state = { ...state, ...change }
  for (const listener of listeners) listener()
}

export const walletState = () => state

/** The wallet as it is now. */
export function useWallet(): WalletState {
  const [shown, setShown] = useState(state)
  useEffect(() => {
    const update = () => setShown(state)
    update()
    listeners.add(update)
    return () => {
      listeners.delete(update)
    }
  }, [])
  return shown
}

/** The sentence of whatever has failed. */
export const sentenceOf = (failure: unknown) => (failure instanceof Error ? failure.message : String(failure))

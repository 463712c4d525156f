import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { connectTo } from './chosen-wallet.ts'
import { findWallets, type Wallet } from './injected-wallets.ts'
import { toProblem } from './wallet-problems.ts'

/** Finds the wallets of this browser, and shows the page of the account of one. @param toUrl the page of an account. */
export function UseMyWallet({ toUrl }: { toUrl: (address: string) => string }) {
  const { route } = useLocation()
  const [wallets, setWallets] = useState<readonly Wallet[]>([])
  const [message, setMessage] = useState('')

  async function connect(wallet: Wallet) {
    setMessage(`Answer in ${wallet.name}`)
    const account = await connectTo(wallet)
    setWallets([])
    setMessage(account === undefined ? `${wallet.name} gave no account.` : '')
    if (account !== undefined) route(toUrl(account))
  }

  async function find() {
    const found = await findWallets()
    const [only] = found
    if (found.length === 1 && only !== undefined) return connect(only)
    setWallets(found)
    return setMessage(found.length === 0 ? 'No wallet was found in this browser.' : 'Which one?')
  }

  const onClick = (act: () => Promise<void>) => () => {
    act().catch((error: unknown) => setMessage(toProblem(error, 0).message))
  }
  return (
    <div class="use-wallet">
      <button type="button" onClick={onClick(find)}>
        Use my wallet
      </button>
      {wallets.map((wallet) => (
        <button key={wallet.name} type="button" onClick={onClick(() => connect(wallet))}>
          {wallet.name}
        </button>
      ))}
      <span class="said" role="status">
        {message}
      </span>
    </div>
  )
}

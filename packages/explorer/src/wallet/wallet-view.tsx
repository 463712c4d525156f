import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Transaction } from '../parts/address.tsx'
import { shortenHex } from '../texts/shorten-hex.ts'
import { UserLink, userPath } from '../users/user-link.tsx'
import { ClaimedAmount } from './claimed-amount.tsx'
import { loadWallet } from './load-wallet.ts'
import { changeWallet, type FoundWallet, sentenceOf, useWallet, walletState } from './wallet-state.ts'

const NO_WALLET = 'No wallet was found in this browser. Type the address; what claims can be copied into any wallet.'

/** Connects a wallet when somebody wants that. @param user whose rewards are shown; absent: those of the wallet's account are opened. */
export function WalletView({ user }: { user: string | undefined }) {
  const { connection, problem, claimed } = useWallet()
  const { route } = useLocation()
  const [wallets, setWallets] = useState<readonly FoundWallet[]>([])

  async function find() {
    changeWallet({ problem: undefined })
    setWallets([])
    try {
      const found = await (await loadWallet()).findWallets()
      const [first] = found
      if (first === undefined) changeWallet({ problem: NO_WALLET })
      else if (found.length === 1) await use(first)
      else setWallets(found)
    } catch (failure) {
      changeWallet({ problem: sentenceOf(failure) })
    }
  }

  async function use(wallet: FoundWallet) {
    changeWallet({ problem: undefined })
    try {
      const { connect } = await loadWallet()
      const connected = await connect(wallet, onChange)
      setWallets([])
      changeWallet({ connection: connected })
      if (user === undefined) route(userPath(connected.account))
    } catch (failure) {
      changeWallet({ problem: sentenceOf(failure) })
    }
  }

  return (
    <section class="wallet" aria-label="Wallet">
      {connection === undefined ? (
        <button type="button" class="action" onClick={() => void find()}>
          Use my wallet
        </button>
      ) : (
        <p>
          {connection.name} is connected with <code title={connection.account}>{shortenHex(connection.account)}</code>.{' '}
          <button type="button" class="copy" onClick={() => void stop()}>
            Stop using it
          </button>
        </p>
      )}
      {connection === undefined && wallets.length > 0 && (
        <p>
          Which wallet?{' '}
          {wallets.map((wallet) => (
            <button type="button" class="copy" key={wallet.id} onClick={() => void use(wallet)}>
              {wallet.name}
            </button>
          ))}
        </p>
      )}
      {connection !== undefined && user !== undefined && connection.account !== user.toLowerCase() && (
        <p>
          This page is of another account, which gets what you claim here; yours pays for the transaction.{' '}
          <a href={userPath(connection.account)}>Rewards of your account</a>
        </p>
      )}
      {claimed.length > 0 && (
        <>
          <h2>Claimed just now</h2>
          <ul class="claims">
            {claimed.map((claim) => (
              <li key={`${claim.txHash} ${claim.logIndex}`}>
                <span>
                  <ClaimedAmount claim={claim} /> for <UserLink address={claim.claimant} />
                </span>
                <Transaction chainId={Number(claim.campaignId.split(':')[0])} hash={claim.txHash} />
              </li>
            ))}
          </ul>
        </>
      )}
      <div role="status">{problem !== undefined && <p class="problem">{problem}</p>}</div>
    </section>
  )
}

function onChange(change: { account: string } | { problem: string }) {
  const { connection } = walletState()
  if (connection === undefined) return
  if ('account' in change) changeWallet({ connection: { ...connection, account: change.account } })
  else void stop(change.problem)
}

async function stop(problem?: string) {
  const { connection } = walletState()
  if (connection === undefined) return
  changeWallet({ connection: undefined, problem })
  const { disconnect } = await loadWallet()
  disconnect(connection)
}

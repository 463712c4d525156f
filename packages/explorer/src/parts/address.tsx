import { blockExplorerUrl, chainName } from '../texts/chain-names.ts'
import { shortenHex } from '../texts/shorten-hex.ts'
import { ZERO_ADDRESS } from '../texts/zero-address.ts'
import { CopyButton } from './copy-button.tsx'

interface OnChain {
  chainId: number
  /** What it is, for those who do not see where it stands: `owner`, `token`. */
  what?: string
}

/** An address, shortened, that leads to the block explorer of its chain where one is known; all of it can be copied. */
export function Address({ chainId, address, what = 'address' }: OnChain & { address: string }) {
  if (address === ZERO_ADDRESS) return <span class="soft">{what === 'token' ? 'native' : 'none'}</span>
  return <Hex hex={address} url={blockExplorerUrl(chainId, 'address', address)} chainId={chainId} what={what} />
}

/** A transaction, likewise. */
export function Transaction({ chainId, hash, what = 'transaction' }: OnChain & { hash: string }) {
  return <Hex hex={hash} url={blockExplorerUrl(chainId, 'tx', hash)} chainId={chainId} what={what} />
}

function Hex({ hex, url, chainId, what }: { hex: string; url: string | undefined; chainId: number; what: string }) {
  const short = <code title={hex}>{shortenHex(hex)}</code>
  return (
    <span class="hex">
      {url === undefined ? (
        short
      ) : (
        <a href={url} target="_blank" rel="noreferrer">
          {short}
          <span class="hidden">
            {' '}
            ({what}, on the block explorer of {chainName(chainId)}, in a new tab)
          </span>
        </a>
      )}
      <CopyButton text={hex} what={`${what} ${shortenHex(hex)}`} />
    </span>
  )
}

import { Address } from '../parts/address.tsx'
import { Count, Tokens, Usd } from '../parts/amounts.tsx'
import { ChainLabel } from '../parts/chain-label.tsx'
import { AbsoluteTime } from '../parts/times.tsx'
import { shortenHex } from '../texts/shorten-hex.ts'
import { brief } from '../texts/truncate-name.ts'
import { dollarsOf, type Worth } from './incentives/dollars.ts'
import type { Asset } from './incentives/incentive-budget.ts'
import type { Part, Sentence } from './prose.ts'

/** Values of strangers can be of any length. */
const LONGEST_CODE = 120
const MAX_NAME = 60

/** A sentence with its amounts, addresses and times. @param worth for amounts in US dollars beside those of the token. */
export function Prose({ sentence, worth }: { sentence: Sentence; worth?: Worth | undefined }) {
  return (
    <span class="prose">
      {sentence.map((part, index) => (
        <Shown key={index} part={part} worth={worth} />
      ))}
    </span>
  )
}

function Shown({ part, worth }: { part: Part; worth: Worth | undefined }) {
  if (typeof part === 'string') return <>{part}</>
  if ('amount' in part) return <Amount amount={part.amount} of={part.of} worth={worth} />
  if ('count' in part) return <Count value={part.count} />
  if ('asset' in part) return <AssetName asset={part.asset} />
  if ('address' in part) return <Address chainId={part.chainId} address={part.address} />
  if ('chainId' in part) return <ChainLabel chainId={part.chainId} />
  if ('instant' in part) return <AbsoluteTime at={part.instant} />
  if ('usd' in part) return <Usd value={part.usd} />
  return 'name' in part ? <bdi title={part.name}>{brief(part.name, MAX_NAME)}</bdi> : <Code text={part.code} />
}

/** An amount in whole tokens, and in US dollars where prices are known. */
export function Amount({ amount, of, worth }: { amount: bigint; of: Asset; worth?: Worth | undefined }) {
  const usd = worth && dollarsOf(worth, of, amount)
  return (
    <>
      <Tokens baseUnits={amount} decimals={of.token?.decimals} symbol={of.token && symbolOf(of)} />
      {of.token === undefined && (
        <>
          {' '}
          of <AssetName asset={of} />
        </>
      )}
      {usd !== undefined && <span class="soft"> ({usd === null ? 'no price' : <Usd value={usd} />})</span>}
    </>
  )
}

/** What stands beside a number must not turn it around, nor push it out of sight. */
function symbolOf({ address, token }: Asset): string {
  return brief(token?.symbol ?? '') || shortenHex(address)
}

/** The symbol of a token; one that is not known by its address. */
export function AssetName({ asset }: { asset: Asset }) {
  if (asset.token !== undefined) return <bdi title={asset.token.name}>{symbolOf(asset)}</bdi>
  return <Address chainId={asset.chainId} address={asset.address} what="token" />
}

function Code({ text }: { text: string }) {
  const isLong = text.length > LONGEST_CODE
  return (
    <code title={isLong ? `${text.slice(0, 2_000)}` : undefined}>
      <bdi>{isLong ? `${text.slice(0, LONGEST_CODE)}… (${text.length.toLocaleString('en')} characters)` : text}</bdi>
    </code>
  )
}

import type { ComponentChildren } from 'preact'
import type { ChainStatus } from 'reward-campaigns-client'
import { Count, Unknown } from '../parts/amounts.tsx'
import { AbsoluteTime } from '../parts/times.tsx'
import { blockExplorerUrl, chainName } from '../texts/chain-names.ts'
import { groupDigits } from '../texts/format-numbers.ts'
import { duration } from '../texts/format-times.ts'
import { shortenHex } from '../texts/shorten-hex.ts'
import { blocksBehind, proofInWords, STATE_TITLES, stateInWords } from './chain-text.ts'

/** How far a chain is. */
export function ChainCard({ chain }: { chain: ChainStatus }) {
  const { chainId, state, asOfBlock, asOfBlockHash, asOfTime, headBlock, finalizedBlock, lagSeconds } = chain
  const behind = blocksBehind(chain)
  const proof = proofInWords(chain)
  return (
    <li class="card chain">
      <h2>
        {chainName(chainId)} <span class="soft">ID {chainId}</span>
        <span class={`state ${state}`}>{STATE_TITLES[state]}</span>
      </h2>
      <p class="soft">{stateInWords(chain)}</p>
      {proof !== undefined && <p class="soft">{proof}</p>}
      <dl>
        <Fact title="As of block">
          <Block chainId={chainId} block={asOfBlock} />
        </Fact>
        <Fact title="Lag">
          {lagSeconds === null ? (
            <Unknown what="nothing is shown yet" />
          ) : (
            <span class="figure">{duration(lagSeconds)}</span>
          )}
        </Fact>
        <Fact title="Newest block">
          <Block chainId={chainId} block={headBlock} />
        </Fact>
        <Fact title="Blocks behind">{behind === undefined ? <Unknown /> : <Count value={String(behind)} />}</Fact>
        <Fact title="Final up to">
          <Block chainId={chainId} block={finalizedBlock} />
        </Fact>
        <Fact title="Hash of the block">
          {asOfBlockHash === null ? <Unknown /> : <code title={asOfBlockHash}>{shortenHex(asOfBlockHash)}</code>}
        </Fact>
        <Fact title="Time of the block">{asOfTime === null ? <Unknown /> : <AbsoluteTime at={asOfTime} />}</Fact>
      </dl>
    </li>
  )
}

function Fact({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The number of a block, that leads to it where a block explorer of the chain is known. */
function Block({ chainId, block }: { chainId: number; block: string | null }) {
  if (block === null) return <Unknown />
  const url = blockExplorerUrl(chainId, 'block', block)
  const all = <span class="figure">{groupDigits(block)}</span>
  if (url === undefined) return all
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {all}
      <span class="hidden"> (on the block explorer, in a new tab)</span>
    </a>
  )
}

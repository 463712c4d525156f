import { useEffect } from 'preact/hooks'
import { Shown } from '../../requests/request-result.tsx'
import { client } from '../../requests/service.ts'
import { useRequest } from '../../requests/use-request.ts'
import { chainName } from '../../texts/chain-names.ts'
import { shortenHex } from '../../texts/shorten-hex.ts'
import { chainOf, type Entered, withToken } from './filter-entries.ts'
import { findTokens } from './find-tokens.ts'

/** Who looks for one of more tells the chain. */
const MAX_CHOICES = 12

const REFRESH_MS = 600_000

/**
 * Puts the token that a symbol means into what was entered; where several have it, whichever is chosen.
 *
 * @param send goes on with what is entered then.
 */
export function TokenSearch({
  entered,
  symbol,
  send,
}: {
  entered: Entered
  symbol: string
  send: (entered: Entered) => void
}) {
  const chainId = chainOf(entered)
  const request = useRequest(
    (signal) => findTokens(client, symbol, chainId, signal),
    `symbol ${chainId} ${symbol}`,
    REFRESH_MS,
  )
  const [only, ...others] = request.state === 'shown' && request.response.isExact ? request.response.tokens : []
  const meant = others.length === 0 ? only?.id : undefined
  useEffect(() => {
    if (meant !== undefined) send(withToken(entered, symbol, meant))
  }, [meant, entered])
  return (
    <section class="token-search" aria-label="Tokens with this symbol">
      <Shown request={request} lines={1}>
        {({ tokens }) => (
          <>
            <p role={tokens.length === 0 ? 'alert' : 'status'}>
              {tokens.length === 0 ? (
                <>
                  No token with the symbol <bdi class="symbol">{symbol}</bdi> is known
                  {chainId !== '' && ' on this chain'}. Name it by chain and address: <code>8453:0x…</code>
                </>
              ) : (
                <>
                  Which <bdi class="symbol">{symbol}</bdi>?
                </>
              )}
            </p>
            <ul class="chips">
              {tokens.slice(0, MAX_CHOICES).map(({ id, chainId: on, address, name }) => (
                <li key={id}>
                  <button type="button" onClick={() => send(withToken(entered, symbol, id))}>
                    {chainName(on)} <code>{shortenHex(address)}</code> <bdi class="symbol soft">{name}</bdi>
                  </button>
                </li>
              ))}
            </ul>
            {tokens.length > MAX_CHOICES && <p class="soft">And more: choose a chain.</p>}
          </>
        )}
      </Shown>
    </section>
  )
}

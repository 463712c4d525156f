import { useLocation } from 'preact-iso'
import { type Chip, Chips } from '../navigation/chips.tsx'
import { withQuery } from '../navigation/page-query.ts'
import { chainName, knownChainIds } from '../texts/chain-names.ts'
import { shortenHex } from '../texts/shorten-hex.ts'

/** Filters by chain and by who created the campaigns; they stand in the address of the page. */
export function ContractFilters({ chainIds, creator }: { chainIds: readonly string[]; creator: string | undefined }) {
  const { url, route } = useLocation()
  const chips: Chip[] = chainIds.map((chainId) => ({
    label: `Chain: ${/^[0-9]+$/.test(chainId) ? chainName(Number(chainId)) : chainId}`,
    without: withQuery(url, { chainIds: chainIds.filter((other) => other !== chainId).join(), page: undefined }),
  }))
  if (creator !== undefined) {
    chips.push({
      label: `Creator: ${shortenHex(creator)}`,
      without: withQuery(url, { creator: undefined, page: undefined }),
    })
  }
  const onSubmit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const added = String(given.get('chainId'))
    route(
      withQuery(url, {
        chainIds: [...new Set([...chainIds, ...(added === '' ? [] : [added])])].join(),
        creator: String(given.get('creator')).trim(),
        page: undefined,
      }),
    )
    event.currentTarget.reset()
  }
  return (
    <>
      <form class="filters" onSubmit={onSubmit} aria-label="Filters">
        <label>
          Chain
          <select name="chainId">
            <option value="">Any</option>
            {knownChainIds
              .filter((chainId) => !chainIds.includes(String(chainId)))
              .map((chainId) => (
                <option key={chainId} value={chainId}>
                  {chainName(chainId)}
                </option>
              ))}
          </select>
        </label>
        <label>
          Creator
          <input
            name="creator"
            defaultValue={creator ?? ''}
            key={creator}
            placeholder="0x…"
            pattern="\s*0x[a-fA-F0-9]{40}\s*"
            title="An address: 0x and 40 hexadecimal digits"
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <button type="submit">Filter</button>
      </form>
      <Chips chips={chips} />
    </>
  )
}

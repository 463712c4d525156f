import { chainName, knownChainIds } from '../../chain-names.ts'
import { type Entered, entriesOf } from './filter-entries.ts'
import { LessUsedFilters } from './less-used-filters.tsx'

/** All filters of the list. Boxes and choices are sent at once, what is typed when somebody says so. */
export function FilterForm({ parameters, send }: { parameters: URLSearchParams; send: (entered: Entered) => void }) {
  const { chain, text, isSet, isWhitelisted } = entriesOf(parameters)
  const follow = (form: HTMLFormElement) => {
    const entered = [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    )
    send(entered)
  }
  return (
    <search class="campaign-filters" aria-label="Filters of the list">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          follow(event.currentTarget)
        }}
        onChange={({ target, currentTarget }) => {
          if (isChoice(target)) follow(currentTarget)
        }}
      >
        <div class="fields">
          <label class="field">
            Chain
            <input
              name="chainId"
              list="known-chains"
              value={chain}
              placeholder="Any: a name or an ID"
              autocomplete="off"
            />
          </label>
          <datalist id="known-chains">
            {knownChainIds.map((id) => (
              <option key={id} value={chainName(id)} />
            ))}
          </datalist>
          <label class="field wide">
            Tokens
            <input
              name="tokens"
              value={text('tokens')}
              placeholder="Any: USDC, 8453:0x…"
              autocomplete="off"
              spellcheck={false}
            />
          </label>
          <label class="field">
            Order
            <select name="sortBy" value={text('sortBy') || 'recently-deployed'}>
              <option value="recently-deployed">Newest first</option>
              <option value="active">Active first</option>
            </select>
          </label>
          <button type="submit">Show</button>
        </div>
        <div class="boxes">
          <label>
            <input type="checkbox" name="showActiveOnly" value="true" checked={isSet('showActiveOnly')} /> Active only
          </label>
          <label>
            <input type="checkbox" name="tokenWhitelist" value="true" checked={isWhitelisted} /> Known tokens only
          </label>
        </div>
        <LessUsedFilters text={text} isTemplateOnly={isSet('actionTemplateOnly')} />
      </form>
    </search>
  )
}

/** What is chosen at once, not typed. */
const isChoice = (target: EventTarget | null) =>
  target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type === 'checkbox')

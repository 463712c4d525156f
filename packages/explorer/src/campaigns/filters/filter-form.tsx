import { useContext } from 'preact/hooks'
import { chainName } from '../../texts/chain-names.ts'
import { shortenHex } from '../../texts/shorten-hex.ts'
import { variantName } from '../incentives/incentive-names.ts'
import { seenToken } from '../tokens/recorded-tokens.ts'
import { ChainChoice } from './facets/chain-choice.tsx'
import { Count, FacetBoxes } from './facets/facet-boxes.tsx'
import { Counts } from './facets/facet-counts.ts'
import { type FacetOption, optionsOf } from './facets/facet-options.ts'
import { type Entered, entriesOf } from './filter-entries.ts'
import { LessUsedFilters } from './less-used-filters.tsx'
import { SearchField } from './search-field.tsx'

/** Filters that only an address has, as a link to the list does. */
const WITHOUT_FIELD = ['campaignId', 'rewardToken']

/** Sends what was entered; `isTyped` where somebody may go on typing. */
export type Send = (entered: Entered, isTyped: boolean) => void

/** All filters of the list. Boxes and choices are sent at once, words after a pause, the rest when somebody says so. */
export function FilterForm({ parameters, send }: { parameters: URLSearchParams; send: Send }) {
  const { text, chosen, isSet, isWhitelisted } = entriesOf(parameters)
  const follow = (form: HTMLFormElement, isTyped = false) => {
    const entered = [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    )
    send(entered, isTyped)
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
          <SearchField written={text('search')} send={(form) => follow(form, true)} />
          <label class="field">
            Tokens
            <input name="tokens" value="" placeholder="A symbol, or 8453:0x…" autocomplete="off" spellcheck={false} />
          </label>
          <ChainChoice chosen={text('chainId')} isOfContract={text('targetContract') !== ''} />
          <label class="field">
            Order
            <select name="sortBy" value={text('sortBy') || 'recently-deployed'}>
              <option value="recently-deployed">Newest first</option>
              <option value="active">Active first</option>
              <option value="ending-soon">Ending soon</option>
            </select>
          </label>
          <button type="submit">Show</button>
        </div>
        <div class="boxes">
          <label>
            <input type="checkbox" name="tokenWhitelist" value="true" checked={isWhitelisted} /> Known tokens only
          </label>
          <ActiveOnly isSet={isSet('showActiveOnly')} />
        </div>
        <div class="facets">
          <FacetBoxes facet="token" name="tokens" title="Tokens" chosen={chosen('tokens')} titleOf={tokenTitle} />
          <FacetBoxes
            facet="incentiveType"
            name="incentiveType"
            title="Incentives"
            chosen={chosen('incentiveType')}
            titleOf={({ value }) => variantName(value) ?? <bdi>{value}</bdi>}
          />
          {SHOWN_AS_WRITTEN.map(([name, title]) => (
            <FacetBoxes key={name} facet={name} name={name} title={title} chosen={chosen(name)} titleOf={asWritten} />
          ))}
        </div>
        <LessUsedFilters text={text} isTemplateOnly={isSet('actionTemplateOnly')} />
        {WITHOUT_FIELD.map(
          (name) => text(name) !== '' && <input key={name} type="hidden" name={name} value={text(name)} />,
        )}
      </form>
    </search>
  )
}

function ActiveOnly({ isSet }: { isSet: boolean }) {
  const active = optionsOf('isActive', ['true'], useContext(Counts)).find(({ value }) => value === 'true')
  return (
    <label>
      <input type="checkbox" name="showActiveOnly" value="true" checked={isSet} /> Active only{' '}
      <Count of={active?.count} />
    </label>
  )
}

const SHOWN_AS_WRITTEN = [
  ['actionType', 'Actions'],
  ['distributionChannel', 'Channels'],
] as const

const asWritten = ({ value }: FacetOption) => <bdi>{value}</bdi>

/** Anybody may call a token so: its chain and its address say which it is. */
function tokenTitle({ value, label = seenToken(value)?.symbol ?? '' }: FacetOption) {
  const [chainId = '', address = ''] = value.split(':')
  return (
    <>
      {label.trim() !== '' && <bdi class="symbol">{label}</bdi>}{' '}
      <span class="soft">
        {/^[0-9]+$/.test(chainId) ? chainName(Number(chainId)) : chainId} <code>{shortenHex(address)}</code>
      </span>
    </>
  )
}

/** What is chosen at once, not typed. */
const isChoice = (target: EventTarget | null) =>
  target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type === 'checkbox')

import { useContext } from 'preact/hooks'
import { chainName } from '../../texts/chain-names.ts'
import { shortenHex } from '../../texts/shorten-hex.ts'
import { seenToken } from '../tokens/recorded-tokens.ts'
import { ChainChips } from './facets/chain-chips.tsx'
import { asWritten, Count } from './facets/facet-boxes.tsx'
import { FacetChips } from './facets/facet-chips.tsx'
import { Counts } from './facets/facet-counts.ts'
import { type FacetOption, optionsOf } from './facets/facet-options.ts'
import { type Entered, entriesOf } from './filter-entries.ts'
import { MoreFilters } from './more-filters.tsx'
import { SearchField } from './search-field.tsx'

/** Filters that only an address has, as a link to the list does. */
const WITHOUT_FIELD = ['campaignId', 'rewardToken']

/** Sends what was entered; `isTyped` where somebody may go on typing. */
export type Send = (entered: Entered, isTyped: boolean) => void

/** All filters of the list. Boxes and choices are sent at once, words after a pause, the rest when somebody says so. */
export function FilterForm({ parameters, send }: { parameters: URLSearchParams; send: Send }) {
  const { text, chosen, isOn } = entriesOf(parameters)
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
            Order
            <select name="sortBy" value={text('sortBy') || 'recently-deployed'}>
              <option value="recently-deployed">Newest first</option>
              <option value="active">Active first</option>
              <option value="ending-soon">Ending soon</option>
            </select>
          </label>
          <ActiveOnly isOn={isOn('showActiveOnly')} />
        </div>
        <ChainChips chosen={text('chainId')} isOfContract={text('targetContract') !== ''} />
        <FacetChips
          facet="actionType"
          name="actionType"
          title="Action"
          chosen={chosen('actionType')}
          titleOf={asWritten}
        />
        <FacetChips facet="token" name="tokens" title="Token" chosen={chosen('tokens')} titleOf={tokenTitle} />
        <MoreFilters parameters={parameters} />
        {WITHOUT_FIELD.map(
          (name) => text(name) !== '' && <input key={name} type="hidden" name={name} value={text(name)} />,
        )}
      </form>
    </search>
  )
}

function ActiveOnly({ isOn }: { isOn: boolean }) {
  const active = optionsOf('isActive', ['true'], useContext(Counts)).find(({ value }) => value === 'true')
  return (
    <label class="switch">
      <input type="checkbox" name="showActiveOnly" value="true" checked={isOn} /> Active only{' '}
      <Count of={active?.count} />
    </label>
  )
}

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
  target instanceof HTMLSelectElement ||
  (target instanceof HTMLInputElement && ['checkbox', 'radio'].includes(target.type))

import { variantName } from '../incentives/incentive-words.ts'
import { asWritten, FacetBoxes } from './facets/facet-boxes.tsx'
import { entriesOf } from './filter-entries.ts'

/** Names of the parameters that are typed here, with their labels and what may be entered. */
const FIELDS = [
  ['owner', 'Owner', '0x…'],
  ['budgetAccount', 'Budget accounts', '0x…, 0x…'],
  ['targetContract', 'Contract of an action', '0x…, on the chain above'],
  ['autocampaignId', 'Autocampaign', 'auto-paraswap-9'],
  ['minBlock', 'Blocks reached', '8453:38401005'],
] as const

/** Filters that are chosen from their values. */
const FACETS = ['incentiveType', 'distributionChannel'] as const

/** The rest of the filters; open where one of them is set. */
export function MoreFilters({ parameters }: { parameters: URLSearchParams }) {
  const { text, chosen, isSet, isOn } = entriesOf(parameters)
  const pageSize = text('pageSize') || '10'
  const sizes = ['10', '25', '50', '100']
  const isUsed =
    isSet('actionTemplateOnly') ||
    !isOn('tokenWhitelist') ||
    pageSize !== '10' ||
    [...FIELDS.map(([name]) => name), ...FACETS].some((name) => text(name) !== '')
  return (
    <details class="more" open={isUsed}>
      <summary>More</summary>
      <div class="boxes">
        <label>
          <input type="checkbox" name="tokenWhitelist" value="true" checked={isOn('tokenWhitelist')} /> Known tokens
          only
        </label>
        <label>
          <input type="checkbox" name="actionTemplateOnly" value="true" checked={isSet('actionTemplateOnly')} /> Only
          action templates as they are, not customised
        </label>
      </div>
      <div class="facets">
        <FacetBoxes
          facet="incentiveType"
          name="incentiveType"
          title="Incentives"
          chosen={chosen('incentiveType')}
          titleOf={({ value }) => variantName(value) ?? <bdi>{value}</bdi>}
        />
        <FacetBoxes
          facet="distributionChannel"
          name="distributionChannel"
          title="Channels"
          chosen={chosen('distributionChannel')}
          titleOf={asWritten}
        />
      </div>
      <div class="fields">
        <label class="field">
          Other tokens
          <input name="tokens" value="" placeholder="A symbol, or 8453:0x…" autocomplete="off" spellcheck={false} />
        </label>
        {FIELDS.map(([name, label, example]) => (
          <label key={name} class="field">
            {label}
            <input name={name} value={text(name)} placeholder={example} autocomplete="off" spellcheck={false} />
          </label>
        ))}
        <label class="field">
          Campaigns on a page
          <select name="pageSize" value={pageSize}>
            {(sizes.includes(pageSize) ? sizes : [pageSize, ...sizes]).map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">Show</button>
      </div>
    </details>
  )
}

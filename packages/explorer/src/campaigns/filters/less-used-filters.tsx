/** Names of the parameters that are typed here, with their labels and what may be entered. */
const FIELDS = [
  ['owner', 'Owner', '0x…'],
  ['budgetAccount', 'Budget accounts', '0x…, 0x…'],
  ['targetContract', 'Contract of an action', '0x…, on the chain above'],
  ['autocampaignId', 'Autocampaign', 'auto-paraswap-9'],
  ['minBlock', 'Blocks reached', '8453:38401005'],
] as const

/** Open where one of them is set. */
export function LessUsedFilters({ text, isTemplateOnly }: { text: (name: string) => string; isTemplateOnly: boolean }) {
  const pageSize = text('pageSize') || '10'
  const sizes = ['10', '25', '50', '100']
  const isUsed = isTemplateOnly || pageSize !== '10' || FIELDS.some(([name]) => text(name) !== '')
  return (
    <details open={isUsed}>
      <summary>More filters</summary>
      <div class="fields">
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
      </div>
      <label>
        <input type="checkbox" name="actionTemplateOnly" value="true" checked={isTemplateOnly} /> Only action templates
        as they are, not customised
      </label>
    </details>
  )
}

import { Big } from 'big.js'
import { type IncentiveFigures, MARK, toIncentiveFigures } from '../../database/campaign-documents.ts'
import type { Tokens } from '../../database/token-store.ts'
import type { CampaignRow } from './campaign-rows.ts'

/** The tokens that an answer about a campaign shows, or counts in. */
export const tokenIdsOf = ({ figures }: Pick<CampaignRow, 'figures'>) =>
  figures?.split(MARK).filter((part, index) => index % 4 === 3 && part !== '') ?? []

/** The JSON of a campaign: its document, with the values put in whose numbers stand between marks. */
export function toJson(row: CampaignRow, tokens: Tokens) {
  const incentives = toIncentiveFigures(row.figures)
  const values = [String(row.isActive), toAvailableBudgetUsd(incentives, tokens), row.addresses]
  for (const { claimedAmount, claimCount, tokenId } of incentives) {
    values.push(claimedAmount, claimCount, tokens.get(tokenId)?.metadata ?? 'null')
  }
  const pieces = row.document.split(MARK)
  for (let place = 1; place < pieces.length; place += 2) {
    const value = values[Number(pieces[place])]
    if (value === undefined) throw new TypeError(`the document of campaign ${row.key} is not made of what is stored`)
    pieces[place] = value
  }
  return pieces.join('')
}

/** Exact: products and a sum, rounded once. Null when a price is unknown, or nothing pays a token. */
function toAvailableBudgetUsd(incentives: IncentiveFigures[], tokens: Tokens) {
  let sum: Big | undefined
  for (const { remainingBudget, tokenId } of incentives) {
    if (tokenId === '') continue
    const price = tokens.get(tokenId)?.baseUnitPriceUsd
    if (price === undefined) return 'null'
    sum = price.times(remainingBudget).plus(sum ?? 0)
  }
  return sum === undefined ? 'null' : `"${sum.round(6, Big.roundHalfUp).toFixed()}"`
}

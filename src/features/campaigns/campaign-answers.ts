import { Big } from 'big.js'
import type { Tokens } from '../../database/token-store.ts'
import { MARK } from '../../read-models/campaign-documents/read.ts'
import type { Campaign } from './campaign-rows.ts'

/** The figures of an incentive, and where among them its token is. */
const FIGURES = 4
const TOKEN = 3

/** The tokens that an answer about a campaign shows, or counts in. */
export const tokenIdsOf = ({ campaign }: { campaign: Campaign | undefined }) =>
  campaign?.figures.filter((figure, index) => index % FIGURES === TOKEN && figure !== '') ?? []

/** The JSON of a campaign: its document, with the values put in whose numbers stand between marks. */
export function toJson(campaign: Campaign, tokens: Tokens) {
  const pieces = campaign.document.split(MARK)
  for (let place = 1; place < pieces.length; place += 2) {
    const value = valueAt(campaign, Number(pieces[place]), tokens)
    if (value === undefined)
      throw new TypeError(`the document of campaign ${campaign.key} is not made of what is stored`)
    pieces[place] = value
  }
  return pieces.join('')
}

/** See make_campaign_documents for the numbers: after three of the campaign come three of each incentive. */
function valueAt({ isActive, addresses, figures }: Campaign, number: number, tokens: Tokens) {
  if (number === 0) return isActive
  if (number === 1) return toAvailableBudgetUsd(figures, tokens)
  if (number === 2) return addresses
  const start = FIGURES * (Math.floor(number / 3) - 1)
  const token = figures[start + TOKEN]
  if (number % 3 < 2 || token === undefined) return figures[start + (number % 3)]
  return tokens.get(token)?.metadata ?? 'null'
}

/** Exact: products and a sum, rounded once. Null when a price is unknown, or nothing pays a token. */
function toAvailableBudgetUsd(figures: readonly string[], tokens: Tokens) {
  let sum: Big | undefined
  for (let start = 0; start < figures.length; start += FIGURES) {
    const [, , remainingBudget = '', token = ''] = figures.slice(start, start + FIGURES)
    if (token === '') continue
    const price = tokens.get(token)?.baseUnitPriceUsd
    if (price === undefined) return 'null'
    sum = price.times(remainingBudget).plus(sum ?? 0)
  }
  return sum === undefined ? 'null' : `"${sum.round(6, Big.roundHalfUp).toFixed()}"`
}

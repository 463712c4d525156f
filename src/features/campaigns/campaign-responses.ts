import { Big } from 'big.js'
import type { Tokens } from '../../database/lookups/token-metadata-cache.ts'
import { type CampaignState, fillDocument } from '../../read-models/campaign-documents/read.ts'

/** The figures of an incentive, and their indexes. */
const FIGURES = 4
const COUNT = 1
const REMAINING = 2
const TOKEN = 3

/** The tokens that a response about a campaign shows, or needs for sums. */
export const tokenIdsOf = ({ figures }: CampaignState) =>
  figures.filter((figure, index) => index % FIGURES === TOKEN && figure !== '')

/** The JSON of a campaign; `addresses` are those that its document leaves out, if it does. */
export function toJson(document: string, { isActive, figures }: CampaignState, tokens: Tokens, addresses: string) {
  return fillDocument(document, (name, of) => {
    if (name === 'isActive') return isActive
    if (name === 'availableBudgetUsd') return toAvailableBudgetUsd(figures, tokens)
    if (name === 'addresses') return addresses
    if (name === 'token') return tokens.get(of)?.metadata ?? 'null'
    return figures[FIGURES * Number(of) + (name === 'claimCount' ? COUNT : 0)]
  })
}

/** Exact: products and a sum, rounded once. Null if a price is unknown, or no incentive pays a token. */
function toAvailableBudgetUsd(figures: readonly string[], tokens: Tokens) {
  let sum: Big | undefined
  for (let start = 0; start < figures.length; start += FIGURES) {
    const token = figures[start + TOKEN]
    if (!token) continue
    const price = tokens.get(token)?.baseUnitPriceUsd
    if (price === undefined) return 'null'
    sum = price.times(figures[start + REMAINING] ?? '').plus(sum ?? 0)
  }
  return sum === undefined ? 'null' : `"${sum.round(6, Big.roundHalfUp).toFixed()}"`
}

/** The tokens of JSON that show its structure: strings, which may contain anything, and punctuation. */
const STRUCTURE = /"(?:[^"\\]|\\.)*"|[{}[\],]/g

/**
 * A JSON object with some of its members, unchanged and in their order. Reads the text once and parses no values:
 * placeholders in a document are kept.
 */
export function withFields(object: string, names: readonly string[]): string {
  const chosen: string[] = []
  let depth = 0
  let start = 0
  let key: string | undefined
  for (const { 0: token, index } of object.matchAll(STRUCTURE)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (token !== ',' && depth === 1 && key === undefined) {
      key = token.slice(1, -1)
      start = index
    }
    const isEnd = (token === ',' && depth === 1) || depth === 0
    if (!isEnd || key === undefined) continue
    if (names.includes(key)) chosen.push(object.slice(start, index))
    key = undefined
  }
  return `{${chosen.join(',')}}`
}

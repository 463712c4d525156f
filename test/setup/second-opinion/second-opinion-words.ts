import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { TokenRecord } from '../../../src/ingest/records.ts'
import { paidToken } from './second-opinion-payouts.ts'

/*
 * The second opinion on `search`: each word starts a word of the campaign's name, or of the name or the symbol of a
 * known token that it pays.
 */

const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
const wordsOf = (text: string) => text.split(/\s+/u).filter((word) => word !== '')

/** A word starts with whatever stands behind white space, and where a letter or a digit follows something else. */
const isStarted = (text: string, word: string) =>
  wordsOf(folded(text)).some((own) =>
    [...own].some(
      (_, at) => (at === 0 || /^[^\p{L}\p{N}][\p{L}\p{N}]/u.test(own.slice(at - 1))) && own.startsWith(word, at),
    ),
  )

/** @param tokens by `<chain>:<address>` in lower case. */
export function isNamedBy(
  { id, campaignName, incentives }: CampaignRecord,
  search: string,
  tokens: ReadonlyMap<string, TokenRecord>,
) {
  const paid = incentives.flatMap((incentive) => {
    const token = tokens.get(`${id.split(':')[0]}:${paidToken(incentive)}`.toLowerCase())
    return token === undefined ? [] : [token.name, token.symbol]
  })
  const texts = [campaignName ?? '', ...paid]
  return wordsOf(folded(search)).every((word) => texts.some((text) => isStarted(text, word)))
}

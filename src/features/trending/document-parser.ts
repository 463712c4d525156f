import { LRUCache } from 'lru-cache'
import type { Tokens } from '../../database/lookups/token-metadata-cache.ts'
import { fillDocument } from '../../read-models/campaign-documents/read.ts'
import type { Incentive } from '../../schemas/campaigns/incentives.ts'
import { assetAddressOf, toTrendingIncentive } from './trending-incentives.ts'
import type { TrendingIncentive } from './trending-schemas.ts'

/** The part of a campaign's document that an entry shows. */
interface TrendingDocument {
  id: string
  chainId: number
  incentives: Incentive[]
  txHash: string
  blockTimestamp: string
  campaignName: string | null
  nftImageUri: string | null
  nftName: string | null
  tokenImageUri: string | null
  startTime: string | null
  endTime: string | null
}

/** A document with what is derived from it and from the tokens of one version. */
interface ReadDocument {
  document: TrendingDocument
  tokenIds: string[]
  shown?: { tokenVersion: string; incentives: TrendingIncentive[] }
}

const MAX_BYTES = 8 * 1024 * 1024
/** Memory of a parsed document with everything derived from it, as a multiple of its text. */
const SIZE_OF_TEXT = 6

/** Stands for values that change without the record: not an amount, and valid wherever JSON allows a value. */
export const OPEN = 'null'

/** Parses documents, and caches the results: the same campaigns are trending for hours, and requested each second. */
export function createDocumentParser() {
  const cache = new LRUCache<string, ReadDocument>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_, body) => SIZE_OF_TEXT * body.length,
  })

  function read(body: string) {
    const known = cache.get(body)
    if (known !== undefined) return known
    const document: TrendingDocument = JSON.parse(fillDocument(body, () => OPEN))
    const addresses = document.incentives.flatMap((incentive) => [
      assetAddressOf(incentive),
      ...('peg' in incentive ? [incentive.peg] : []),
    ])
    const fresh = { document, tokenIds: addresses.map((address) => `${document.chainId}:${address}`) }
    cache.set(body, fresh)
    return fresh
  }

  return {
    tokenIdsOf: ({ document }: { document: string }) => read(document).tokenIds,

    /** A document, and its incentives as entries show them. */
    show(body: string, tokenVersion: string, tokens: Tokens) {
      const known: ReadDocument = read(body)
      if (known.shown?.tokenVersion !== tokenVersion) {
        const { chainId, incentives } = known.document
        const tokenAt = (address: string) => tokens.get(`${chainId}:${address}`)
        known.shown = {
          tokenVersion,
          incentives: incentives.map((incentive) => toTrendingIncentive(incentive, tokenAt)),
        }
      }
      return { document: known.document, incentives: known.shown.incentives }
    },
  }
}

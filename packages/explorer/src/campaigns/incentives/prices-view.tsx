import { Usd } from '../../parts/amounts.tsx'
import type { RequestState } from '../../requests/poll-request.ts'
import { Shown } from '../../requests/request-result.tsx'
import { AssetName } from '../prose-view.tsx'
import { assetOf, type Rewarding } from './incentive-budget.ts'
import { linePath, type TokenPrices } from './prices.ts'

const WIDTH = 600
const HEIGHT = 60

/** What each token of a campaign costs now, and how its price has moved. */
export function PricesView({ campaign, request }: { campaign: Rewarding; request: RequestState<TokenPrices[]> }) {
  return (
    <Shown request={request} lines={1}>
      {(prices) => (
        <>
          {prices.map(({ token, priceUsd, series = [] }) => (
            <figure key={token} class="price">
              <figcaption>
                <AssetName asset={assetOf(campaign, token.split(':')[1] ?? '')} />:{' '}
                {priceUsd === null ? <span class="soft">no price</span> : <Usd value={priceUsd} />}
                <Extremes
                  prices={[...series.map((point) => point.priceUsd), ...(priceUsd === null ? [] : [priceUsd])]}
                />
              </figcaption>
              {series.length > 1 && (
                <svg aria-hidden="true" viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} preserveAspectRatio="none">
                  <path
                    d={linePath(
                      series.map((point) => Number(point.priceUsd)),
                      WIDTH,
                      HEIGHT,
                    )}
                  />
                </svg>
              )}
            </figure>
          ))}
        </>
      )}
    </Shown>
  )
}

/** The lowest and the highest of the prices of the plot and of now. */
function Extremes({ prices }: { prices: readonly string[] }) {
  if (prices.length < 3) return null
  const sorted = [...prices].sort((one, other) => Number(one) - Number(other))
  return (
    <span class="soft">
      , between <Usd value={sorted[0]} /> and <Usd value={sorted.at(-1)} />
    </span>
  )
}

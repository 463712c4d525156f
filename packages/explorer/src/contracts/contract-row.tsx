import type { ExploredContract } from 'reward-campaigns-client'
import { withQuery } from '../navigation/page-query.ts'
import { servicePath } from '../navigation/service-path.ts'
import { Address } from '../parts/address.tsx'
import { Count, UsdOfClaims } from '../parts/amounts.tsx'
import { Bar } from '../parts/bar.tsx'
import { ChainLabel } from '../parts/chain-label.tsx'
import { Name } from '../parts/name.tsx'
import { RowHead } from '../parts/row-head.tsx'

/** A contract with what campaigns brought to it. @param share of the highest of those that are shown. */
export function ContractRow({ contract, rank, share }: { contract: ExploredContract; rank: number; share: number }) {
  const { chainId, address, name, stats } = contract
  const campaigns = withQuery(servicePath('/explorer/campaigns'), {
    chainId: String(chainId),
    targetContract: address,
    // All that count here.
    tokenWhitelist: 'false',
    showActiveOnly: 'false',
  })
  return (
    <li>
      <RowHead rank={rank} mark={name || address}>
        <span class="contract-name">
          {name === '' ? <span class="soft">Contract without a name</span> : <Name text={name} />}
        </span>
        <div class="about">
          <ChainLabel chainId={chainId} />
          <Address chainId={chainId} address={address} what="contract" />
        </div>
      </RowHead>
      <dl>
        <div>
          <dt>Campaigns</dt>
          <dd>
            <a href={campaigns}>
              <Count value={stats.campaignCount} />
              <span class="hidden">
                {' '}
                {stats.campaignCount === 1 ? 'campaign' : 'campaigns'} on <bdi>{name || address}</bdi>
              </span>
            </a>
          </dd>
        </div>
        <div>
          <dt>Claims</dt>
          <dd>
            <Count value={stats.totalClaims} />
          </dd>
        </div>
        <div>
          <dt>Paid</dt>
          <dd>
            <UsdOfClaims value={stats.totalAmountClaimedUsd} claims={stats.totalClaims} />
          </dd>
        </div>
      </dl>
      <Bar share={share} />
    </li>
  )
}

import { useLocation } from 'preact-iso'
import type { ExploredContract, Page } from 'reward-campaigns-client'
import { withQuery } from '../navigation/page-query.ts'
import { Pager } from '../navigation/pager.tsx'
import { HowToImport } from '../requests/how-to-import.tsx'
import { Empty } from '../requests/request-result.tsx'
import { ContractRow } from './contract-row.tsx'

/** A page of contracts, with bars that compare them by what they are sorted by. */
export function ContractsView({
  contracts: { entries, total },
  page,
  pageSize,
  isByPaid,
}: {
  contracts: Page<ExploredContract>
  page: number
  pageSize: number
  isByPaid: boolean
}) {
  const { url } = useLocation()
  if (entries.length === 0) {
    return (
      <Empty>
        {total === 0 ? (
          <>
            <p>No contract passes these filters.</p>
            <HowToImport />
          </>
        ) : (
          <p>
            The list ends before this page. <a href={withQuery(url, { page: undefined })}>To its beginning</a>
          </p>
        )}
      </Empty>
    )
  }
  const measure = ({ stats }: ExploredContract) => (isByPaid ? stats.totalAmountClaimedUsd : stats.totalClaims)
  const highest = Math.max(...entries.map(measure))
  return (
    <>
      <div class="columns contracts" aria-hidden="true">
        <span>Contract</span>
        <span>Campaigns</span>
        <span>Claims</span>
        <span>Paid</span>
        <span>{isByPaid ? 'Paid' : 'Claims'}, compared</span>
      </div>
      <ol class="rows contracts">
        {entries.map((contract, index) => (
          <ContractRow
            key={`${contract.chainId}:${contract.address}`}
            contract={contract}
            rank={(page - 1) * pageSize + index + 1}
            share={highest === 0 ? 0 : measure(contract) / highest}
          />
        ))}
      </ol>
      <Pager page={page} pageSize={pageSize} total={total} what="contracts" />
    </>
  )
}

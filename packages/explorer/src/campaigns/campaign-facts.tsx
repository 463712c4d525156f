import { type Campaign, toTokens } from 'reward-campaigns-client'
import { Address, Transaction } from '../parts/address.tsx'
import { Count } from '../parts/amounts.tsx'
import { AbsoluteTime } from '../parts/times.tsx'
import { blockExplorerUrl, chainName } from '../texts/chain-names.ts'
import { groupDigits } from '../texts/format-numbers.ts'
import { allUrl } from './campaign-query.ts'
import { Fact, Facts } from './facts.tsx'
import { ImageLinks } from './image-links.tsx'

/** Who is behind a campaign, and when and where it is. */
export function CampaignFacts({ campaign }: { campaign: Campaign }) {
  const { chainId, owner, budget, maxParticipants, protocolFee, startTime, endTime } = campaign
  const { createdAtBlockchainNumbers = {} } = campaign
  return (
    <Facts>
      <Fact name="Owner">
        <Address chainId={chainId} address={owner} what="owner" /> <a href={allUrl({ owner })}>all of this owner</a>
      </Fact>
      <Fact name="Budget">
        <Address chainId={chainId} address={budget} what="budget" />{' '}
        <a href={allUrl({ budgetAccount: budget })}>all of this budget</a>
      </Fact>
      <Fact name="Validator">
        <Address chainId={chainId} address={campaign.validator} what="validator" />
      </Fact>
      <Fact name="Action">
        <Address chainId={chainId} address={campaign.action} what="action" />
      </Fact>
      <Fact name="Deployed">
        <AbsoluteTime at={campaign.blockTimestamp} />
        <br />
        <Transaction chainId={chainId} hash={campaign.txHash} />
      </Fact>
      {Object.entries(createdAtBlockchainNumbers).map(([chain, block]) => (
        <Fact key={chain} name={`Block of ${chainName(Number(chain))}`}>
          <Block chainId={Number(chain)} block={block} />
        </Fact>
      ))}
      <Fact name="Starts">{startTime === null ? 'when it was deployed' : <AbsoluteTime at={startTime} />}</Fact>
      <Fact name="Ends">{endTime === null ? 'no end date' : <AbsoluteTime at={endTime} />}</Fact>
      <Fact name="Claimants">
        {maxParticipants === '0' ? (
          'Any number of people'
        ) : (
          <>
            At most <Count value={maxParticipants} /> {maxParticipants === '1' ? 'person' : 'people'}
          </>
        )}
      </Fact>
      <Fact name="Protocol fee">
        <span title={`${protocolFee} basis points`}>
          <Count value={toTokens(protocolFee, 2)} />% on top of what is paid
        </span>
      </Fact>
      <ImageLinks campaign={campaign} />
      <Fact name="ID">
        <code>{campaign.id}</code>
      </Fact>
    </Facts>
  )
}

const MAX_BLOCK_DIGITS = 15

function Block({ chainId, block }: { chainId: number; block: string }) {
  const url = blockExplorerUrl(chainId, 'block', block)
  // All digits of one that a chain can have.
  const number = block.length > MAX_BLOCK_DIGITS ? <Count value={block} /> : groupDigits(block)
  if (url === undefined) return <>{number}</>
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {number}
      <span class="hidden"> (block explorer, in a new tab)</span>
    </a>
  )
}

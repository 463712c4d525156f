import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { endProcess, responseOf, startHelper } from '../measuring/child-processes.ts'
import { installPackages } from '../measuring/packages.ts'
import type { Contestant, PartContext } from '../measuring/part.ts'

/** Outside of the project: it is a dependency of this measurement only. */
const FOLDER = join(import.meta.dirname, '../.postgraphile')

export const postgraphileVersions = { postgraphile: '5.1.5', '@grafserv/persisted': '1.0.0' }

/** PostGraphile on the tables of the service, with as many connections, and the two queries as its only operations. */
export async function startPostgraphile(
  { facts, folder, log }: PartContext,
  poolSize: number,
): Promise<Contestant & AsyncDisposable> {
  log('PostGraphile is installed, unless it is there')
  await installPackages(FOLDER, postgraphileVersions)
  const operations = join(folder, 'operations.json')
  await writeFile(operations, JSON.stringify(postgraphileQueries))
  const child = startHelper('postgraphile-server.ts', [FOLDER, facts.url, operations, String(poolSize)], {
    settings: { GRAPHILE_ENV: 'production' },
  })
  const url = await responseOf<string>(child, 60_000)
  return { name: 'PostGraphile', url, process: child, [Symbol.asyncDispose]: () => endProcess(child) }
}

/** The body that asks for one of the operations. */
export const toBody = (documentId: keyof typeof postgraphileQueries, variables: Record<string, string>) =>
  JSON.stringify({ documentId, variables })

/*
 * The fields of our responses as a client of PostGraphile would query them. For calculated fields (`isActive`,
 * `availableBudgetUsd`) the query reads their inputs, and the client calculates.
 */

const campaign = `
  rowId action campaignIndex budget owner validator blockTimestamp txHash chainId protocolFee maxParticipants
  campaignName actionTemplateId projectImageUri tokenImageUri nftImageUri nftName startAt endAt isExhausted
  incentivesByCampaignKey(first: 1000) {
    nodes {
      definition claimedAmount claimCount remainingBudget
      tokenByChainIdAndAsset {
        chainId address decimals name symbol imageUri priceUsd marketCap priceChange24Hr volume24Hr holders
      }
    }
  }
  actionStepsByCampaignKey(first: 1000) { nodes { definition } }
  allowListByCampaignKey {
    owner contractAddress type accessListId
    allowListAddressesByCampaignKey(first: 1000) { nodes { address } }
  }`

export const postgraphileQueries = {
  detail: `query Detail($id: String!) {
    campaignByRowId(rowId: $id) {${campaign}
      actionClaimant createdAtBlockchainNumbers templateId nftMetadataId
    }
  }`,
  page: `query Page($budget: String!) {
    allCampaigns(
      first: 10
      condition: { budget: $budget, hasWhitelistedRewards: true }
      orderBy: [BLOCK_TIMESTAMP_DESC, CHAIN_ID_ASC, CORE_ADDRESS_ASC, IDENTIFIER_ASC]
    ) {
      totalCount
      nodes {${campaign}
      }
    }
  }`,
}

import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { endProcess, responseOf, startHelper, startProgram } from '../measuring/child-processes.ts'
import type { Contestant, PartContext } from '../measuring/part.ts'

/** Outside of the project: it is a dependency of this measurement only, and wants a newer Node.js. */
const FOLDER = join(import.meta.dirname, '../.postgraphile')

/** PostGraphile wants 22; the file that starts it, one that understands TypeScript by itself. */
const OLDEST_NODE = 24

const NODE_PACKAGE = `node-${process.platform}-${process.arch}`
const needsOtherNode = Number(process.versions.node.split('.')[0]) < OLDEST_NODE

export const postgraphileVersions = {
  postgraphile: '5.1.5',
  '@grafserv/persisted': '1.0.0',
  ...(needsOtherNode ? { [NODE_PACKAGE]: '24.21.0' } : {}),
}

const nodeProgram = needsOtherNode ? join(FOLDER, 'node_modules', NODE_PACKAGE, 'bin/node') : process.execPath

async function install(log: (what: string) => void) {
  const wanted = JSON.stringify({ private: true, type: 'module', dependencies: postgraphileVersions })
  const marker = join(FOLDER, 'installed.json')
  if ((await readFile(marker, 'utf8').catch(() => '')) === wanted) return
  log('installing PostGraphile')
  await mkdir(FOLDER, { recursive: true })
  await writeFile(join(FOLDER, 'package.json'), wanted)
  // biome-ignore lint/style/noProcessEnv: behind a proxy, npm waits for ever without what it trusts.
  const certificates = process.env.NODE_EXTRA_CA_CERTS
  const npm = startProgram(
    'npm',
    ['install', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    { settings: certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates } },
  )
  const [code] = await once(npm, 'exit')
  if (code !== 0) throw new Error(`PostGraphile could not be installed: npm ended with ${code}`)
  await writeFile(marker, wanted)
}

/** PostGraphile on the tables of the service, with as many connections, and the two queries as its only operations. */
export async function startPostgraphile(
  { facts, folder, log }: PartContext,
  poolSize: number,
): Promise<Contestant & AsyncDisposable> {
  await install(log)
  const operations = join(folder, 'operations.json')
  await writeFile(operations, JSON.stringify(postgraphileQueries))
  const child = startHelper('postgraphile-server.ts', [FOLDER, facts.url, operations, String(poolSize)], {
    execPath: nodeProgram,
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

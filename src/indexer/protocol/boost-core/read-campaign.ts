import type { Hex } from 'viem'
import type { CampaignRecord } from '../../../ingest/campaign-records.ts'
import { toAddress } from '../chain-logs.ts'
import type { ContractReader } from '../contracts/contract-reader.ts'
import type { ChainCampaign, ReadSettings, UnknownComponent } from '../protocol.ts'
import { readAction } from './actions.ts'
import { type ChainAllowList, readAllowList } from './allow-lists.ts'
import { type BoostOrigin, type IncentiveOrigin, type SetUps, withIncentives, withSetUps } from './campaign-origins.ts'
import { readClaimFee } from './claim-fees.ts'
import { readFixedIncentive, readIncentive } from './incentives/incentives.ts'
import { readValidator } from './validators.ts'

/** An origin without missing facts. */
export type CompleteOrigin = BoostOrigin &
  Required<Pick<BoostOrigin, 'terms' | 'actionDetails' | 'blockTimestamp' | 'maxClaimsPerClaimant' | 'validatorKind'>>

/**
 * Reads all facts that an origin lacks, which are fixed.
 * @param setUps the setup events of incentives in the blocks of the origin.
 * @param readerAt reads contracts as of a block.
 * @returns null if the core does not return its campaign in a known form.
 */
export async function completeOrigin(
  reader: ContractReader,
  origin: BoostOrigin,
  readerAt: (hash: Hex) => ContractReader,
  setUps: SetUps = new Map(),
): Promise<CompleteOrigin | null> {
  const { blockTimestamp } = origin
  if (blockTimestamp === undefined) throw new TypeError(`the time of the block of ${origin.id} is not there`)
  const [{ terms, incentives }, actionDetails, validator] = await Promise.all([
    completeIncentives(reader, origin, readerAt, setUps),
    knownAction(origin) ?? readAction(reader, origin.action),
    knownValidator(origin) ?? readValidator(reader, origin.validator),
  ])
  return terms === undefined ? null : { ...origin, blockTimestamp, terms, incentives, actionDetails, ...validator }
}

/** What is stored of its action; undefined if that has still to be read, as one of unknown form has: it may be known by now. */
const knownAction = ({ actionDetails }: BoostOrigin) => (actionDetails?.steps === null ? undefined : actionDetails)

/** What is stored of its validator; undefined if something of it has still to be read. */
function knownValidator({ maxClaimsPerClaimant, validatorKind }: BoostOrigin) {
  return maxClaimsPerClaimant === undefined || validatorKind === undefined
    ? undefined
    : { maxClaimsPerClaimant, validatorKind }
}

/** The terms and incentives; incentives that no event has named are those the core lists. */
async function completeIncentives(
  reader: ContractReader,
  origin: BoostOrigin,
  readerAt: (hash: Hex) => ContractReader,
  setUps: SetUps,
) {
  const boost = origin.terms === undefined ? await readBoost(reader, origin) : undefined
  const incentives =
    boost === undefined ? origin.incentives : withIncentives(origin.incentives, withSetUps(boost.incentives, setUps))
  const atCreation = ({ blockNumber }: IncentiveOrigin) =>
    blockNumber === origin.blockNumber ? () => readerAt(origin.blockHash) : undefined
  return {
    terms: origin.terms ?? boost?.terms,
    incentives: await Promise.all(
      incentives.map(async (incentive) =>
        // One of unknown kind may be known by now.
        incentive.fixed === undefined || incentive.fixed === null
          ? { ...incentive, fixed: await readFixedIncentive(reader, incentive.contract, atCreation(incentive)) }
          : incentive,
      ),
    ),
  }
}

/**
 * What a core returns about a campaign; undefined if it does not know it. Of the incentives only the original ones:
 * what was added later may come from a block that is withdrawn.
 */
export async function readBoost(reader: ContractReader, { core, boostId, blockNumber, firstIncentives }: BoostOrigin) {
  const boost = await reader.read(core, 'getBoost', [BigInt(boostId)])
  if (boost === undefined) return undefined
  const incentives: IncentiveOrigin[] = boost.incentives
    .slice(0, firstIncentives)
    .map((contract, position) => ({ position, contract: toAddress(contract), blockNumber }))
  return {
    terms: { protocolFee: String(boost.protocolFee), maxParticipants: String(boost.maxParticipants) },
    incentives,
  }
}

/** Reads what changes, and assembles the campaign. */
export async function readCampaign(
  reader: ContractReader,
  chain: ReadSettings,
  origin: CompleteOrigin,
): Promise<ChainCampaign<BoostOrigin>> {
  const [allowList, claimFee, incentives] = await Promise.all([
    readAllowList(reader, origin.allowList, chain.openAllowLists),
    readClaimFee(reader, origin),
    Promise.all(
      origin.incentives.map(async ({ position, contract, fixed }) => {
        const reading = fixed ? await readIncentive(reader, contract, fixed) : null
        return { position, contract, record: reading?.record ?? null, isUnknown: reading?.lacksLimit ?? true }
      }),
    ),
  ])
  const known = incentives.flatMap(({ record, isUnknown: _, ...position }) =>
    record === null ? [] : [{ record, position }],
  )
  const component = (kind: UnknownComponent['kind'], contract: Hex) => ({ kind, campaignId: origin.id, contract })
  return {
    record: toCampaignRecord(
      chain.chainId,
      origin,
      allowList,
      known.map(({ record }) => record),
    ),
    incentives: known.map(({ position }) => position),
    accessLists: allowList?.accessLists ?? null,
    origin: { ...origin, claimFee },
    // Responses say the fee, so those that are cached must not outlive it.
    fixed: { incentives: origin.incentives, claimFee },
    unknown: [
      ...(origin.actionDetails.steps === null ? [component('action', origin.action)] : []),
      ...(allowList === null ? [component('allowList', origin.allowList)] : []),
      ...incentives.flatMap(({ isUnknown, contract, position }) =>
        isUnknown ? [{ ...component('incentive', contract), position }] : [],
      ),
    ],
  }
}

function toCampaignRecord(
  chainId: number,
  origin: CompleteOrigin,
  allowList: ChainAllowList | null,
  incentives: CampaignRecord['incentives'],
): CampaignRecord {
  const { id, boostId, action, budget, owner, validator, txHash, blockNumber, blockTimestamp, actionDetails } = origin
  return {
    type: 'campaign',
    id,
    campaignIndex: boostId,
    action,
    budget,
    owner,
    validator,
    txHash,
    blockTimestamp: String(blockTimestamp),
    createdAtBlockchainNumbers: { [chainId]: String(blockNumber) },
    ...origin.terms,
    maxClaimsPerClaimant: origin.maxClaimsPerClaimant,
    incentives,
    actionSteps: actionDetails.steps?.length === 0 ? null : actionDetails.steps,
    actionClaimant: actionDetails.claimant,
    allowList: allowList && {
      owner: allowList.owner,
      contractAddress: allowList.contractAddress,
      type: allowList.type,
      addresses: null,
    },
  }
}

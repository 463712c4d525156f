import { type Address, decodeFunctionData, encodeAbiParameters, type Hex, padHex, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { toFunctionSelector } from 'viem/utils'
import { expect, test } from 'vitest'
import type { ListEligibilityResponse } from '../../../src/features/eligibility/eligibility-schemas.ts'
import type { ListRewardsResponse } from '../../../src/features/rewards/reward-schemas.ts'
import { openIndexed } from '../../indexer/indexed.ts'
import { Playing } from '../../indexer/recording/played-recording.ts'
import { recordedClaims } from '../../indexer/recording/recorded-claims.ts'
import { recording } from '../../indexer/recording/recording.ts'
import { startScriptedNode } from '../../indexer/simulation/scripted-node.ts'
import { anAddress } from '../../setup/records.ts'
import { startTestApp } from '../../setup/test-app.ts'

const FEE_UPDATED: Hex = '0x64374f1a975abb9bc8e8857d704b9ead41989ff599d90c1e8f7d34bc2ebea92a'
const BASE: Hex = '0xa757f0c09861f81056f241b5659bddfaabc9a89b'

const [recorded] = recordedClaims.filter(({ campaignId }) => campaignId.endsWith(':2'))
if (recorded === undefined) throw new TypeError('nobody has claimed on campaign 2')
const { campaignId, incentiveIndex, validator, referrer } = recorded
const claimant = anAddress('fee payer')

/** The whole payload of a claim, as a payable validator of the second form wants it. */
async function signedByValidator() {
  const account = privateKeyToAccount(`0x${'17'.repeat(32)}`)
  const [chainId, , boostId = ''] = campaignId.split(':')
  const incentiveData = encodeAbiParameters([{ type: 'uint256' }], [1000n])
  const message = {
    boostId: BigInt(boostId),
    incentiveQuantity: 2,
    claimant: claimant as Address,
    incentiveData,
    referrer: referrer as Address,
  }
  const signature = await account.signTypedData({
    domain: {
      name: 'PayableLimitedSignerValidatorV2',
      version: '1',
      chainId: Number(chainId),
      verifyingContract: validator as Address,
    },
    types: {
      SignerValidatorData: [
        { name: 'boostId', type: 'uint256' },
        { name: 'incentiveQuantity', type: 'uint8' },
        { name: 'claimant', type: 'address' },
        { name: 'incentiveData', type: 'bytes' },
        { name: 'referrer', type: 'address' },
      ],
    },
    primaryType: 'SignerValidatorData',
    message,
  })
  const signed = [
    { name: 'signer', type: 'address' },
    { name: 'signature', type: 'bytes' },
    { name: 'quantity', type: 'uint8' },
  ] as const
  const payload = [
    { name: 'validatorData', type: 'bytes' },
    { name: 'incentiveData', type: 'bytes' },
    { name: 'referrer', type: 'address' },
  ] as const
  const validatorData = encodeAbiParameters(
    [{ type: 'tuple', components: signed }],
    [{ signer: account.address, signature, quantity: 2 }],
  )
  return encodeAbiParameters(
    [{ type: 'tuple', components: payload }],
    [{ validatorData, incentiveData, referrer: message.referrer }],
  )
}

const multicall = parseAbi([
  'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(Call[] calls) payable',
])

/** The recorded chain, on which the validator of the campaign takes a fee that changes with blocks. */
class PayableChain extends Playing {
  /** By block hash; undefined: the contract does not say. */
  readonly fees = new Map<Hex, bigint | undefined>()

  /** Adds a block with a new fee, which a contract reports. */
  setFee(fee: bigint | undefined, emitter: Hex = BASE) {
    this.mine(0)
    const { number: blockNumber, hash: blockHash, logs } = this.head
    this.fees.set(blockHash, fee)
    logs.push({
      ...{ address: emitter, topics: [FEE_UPDATED], data: encodeAbiParameters([{ type: 'uint256' }], [fee ?? 0n]) },
      ...{ blockNumber, blockHash, transactionHash: padHex(blockHash, { size: 32 }), logIndex: 0 },
    })
  }

  override callAt(block: Playing['head'], to: Hex, data: Hex) {
    if (to !== validator.toLowerCase()) return super.callAt(block, to, data)
    const hashes = this.blocks.filter(({ number }) => number <= block.number).map(({ hash }) => hash)
    const known = hashes.findLast((hash) => this.fees.has(hash))
    const fee = known === undefined ? undefined : this.fees.get(known)
    if (data === toFunctionSelector('getComponentInterface()')) return padHex('0x89b50fd9', { dir: 'right', size: 32 })
    if (data === toFunctionSelector('getClaimFee()') && fee !== undefined)
      return padHex(`0x${fee.toString(16)}`, { size: 32 })
    return null
  }
}

async function startPayable(first: bigint | undefined) {
  const api = await startTestApp()
  const chain = new PayableChain(20)
  chain.fees.set(chain.head.hash, first)
  const node = await startScriptedNode(chain)
  const index = await openIndexed(api.database.url, node.url)
  chain.mine(recording.blocks.length)
  await index.settle()
  await api.save({ type: 'campaignMetadata', id: campaignId, allowListAddresses: [] })
  const signature = await signedByValidator()
  await api.save({ type: 'claimSignature', campaignId, incentiveId: incentiveIndex, claimant, referrer, signature })

  /** What a claim has to send, and why it is not known, as all operations say it. */
  async function feeNow() {
    await index.settle()
    const { campaigns }: ListEligibilityResponse = (
      await api.get(`/eligibility?user=${claimant}&campaignId=${campaignId}`)
    ).json()
    const { rewards, claimTransactions = [] }: ListRewardsResponse = (
      await api.get(`/users/${claimant}/rewards?claimTransactions=true`)
    ).json()
    const here = campaigns[0]?.incentives[incentiveIndex]
    expect(here?.verdict).toBe('claimable')
    expect(rewards[0]?.transaction).toEqual(here?.transaction)
    expect(here?.transaction?.data).toMatch(/^0x730f9c57/)
    const [together] = claimTransactions
    const [calls] =
      together === undefined ? [[]] : decodeFunctionData({ abi: multicall, data: together.data as Hex }).args
    return {
      value: here?.transaction?.value,
      codes: here?.reasons.map(({ code }) => code),
      together: together?.value,
      calls: calls.map(({ value }) => value),
    }
  }
  return {
    ...{ api, chain, index, feeNow },
    async [Symbol.asyncDispose]() {
      await index[Symbol.asyncDispose]()
      await node[Symbol.asyncDispose]()
      await api[Symbol.asyncDispose]()
    },
  }
}

const known = (fee: bigint) => ({ value: String(fee), codes: [], together: String(fee), calls: [fee] })
const unknown = { value: undefined, codes: ['claim-fee-unknown'], together: undefined, calls: [] }

test('a claim sends the fee of its validator, as its base implementation reports it, also after a reorganisation', async () => {
  await using payable = await startPayable(75n)
  const { chain, feeNow } = payable
  expect(await feeNow(), 'the first').toEqual(known(75n))
  chain.setFee(2n ** 200n)
  expect(await feeNow(), 'a later one').toEqual(known(2n ** 200n))
  chain.setFee(3n, anAddress('stranger') as Hex)
  expect(await feeNow(), 'whatever a stranger reports').toEqual(known(2n ** 200n))
  chain.withdraw(2)
  chain.mine(0)
  chain.mine(0)
  chain.mine(0)
  expect(await feeNow(), 'without the blocks').toEqual(known(75n))
  chain.setFee(0n)
  expect(await feeNow(), 'nothing').toEqual(known(0n))
}, 60_000)

test('a fee that the validator does not say is unknown: the claim stays claimable, and is in no common transaction', async () => {
  await using payable = await startPayable(undefined)
  const { chain, feeNow } = payable
  expect(await feeNow()).toEqual(unknown)
  chain.setFee(5n, validator.toLowerCase() as Hex)
  expect(await feeNow(), 'of a validator without a base').toEqual(known(5n))
}, 60_000)

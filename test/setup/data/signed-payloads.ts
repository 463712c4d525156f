import type { Hex } from 'viem'
import { privateKeyToAddress, sign } from 'viem/accounts'
import {
  concatHex,
  encodeAbiParameters,
  keccak256,
  numberToHex,
  padHex,
  parseAbiParameters,
  stringToHex,
} from 'viem/utils'
import type { ClaimSignatureRecord, ImportRecord } from '../../../src/ingest/records.ts'
import type { TestDatabase } from '../database.ts'
import { latestOf, type Validator, type Validators } from '../second-opinion/second-opinion.ts'
import { setFollowed } from './followed-chains.ts'
import { signedIn } from './payloads.ts'
import { campaignIds, people, SIGNED_AMOUNTS, validator } from './random-records.ts'

/*
 * What validators of known kinds have signed for the random campaigns, and what only looks like it. Digests are made byte by byte from the
 * words of the protocol, and nothing is recovered: a payload is right if it was made here for this campaign and claimant.
 */

/** The kinds under which validators sign; those of the second form sign the referrer too. */
export const validatorKinds = ['', 'Limited', 'PayableLimited'].flatMap((limit) =>
  ['', 'V2'].map((form) => `${limit}SignerValidator${form}`),
)

interface Signed {
  validatorKind: string
  campaignId: string
  claimant: string
  amount: bigint
}

const SIGNER_KEY: Hex = `0x${'5e'.repeat(32)}`
const signer = privateKeyToAddress(SIGNER_KEY)
const QUANTITY = 4
const [REFERRER = '', OTHER = ''] = people.slice(-2)

const hashOf = (text: string) => keccak256(stringToHex(text))
const word = (value: bigint | number) => numberToHex(value, { size: 32 })
const addressWord = (address: string) => padHex(address as Hex, { size: 32 })

function digestOf({ validatorKind, campaignId, claimant, amount }: Signed): Hex {
  const [chainId = '', , boostId = ''] = campaignId.split(':')
  const isSecond = validatorKind.endsWith('V2')
  const domain = keccak256(
    concatHex([
      hashOf('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
      ...[hashOf(validatorKind), hashOf('1'), word(BigInt(chainId)), addressWord(validator)],
    ]),
  )
  const fields = 'uint256 boostId,uint8 incentiveQuantity,address claimant,bytes incentiveData'
  const message = keccak256(
    concatHex([
      hashOf(`SignerValidatorData(${fields}${isSecond ? ',address referrer' : ''})`),
      ...[word(BigInt(boostId)), word(QUANTITY), addressWord(claimant), keccak256(word(amount))],
      ...(isSecond ? [addressWord(REFERRER)] : []),
    ]),
  )
  return keccak256(concatHex(['0x1901', domain, message]))
}

interface Parts {
  by: string
  signature: Hex
  quantity: number
  amount: bigint
  /** Of the second form only. */
  referrer: string | undefined
}

function encode({ by, signature, quantity, amount, referrer }: Parts): Hex {
  const validatorData = encodeAbiParameters(
    parseAbiParameters(['Signed signed', 'struct Signed { address signer; bytes signature; uint8 quantity; }']),
    [{ signer: by as Hex, signature, quantity }],
  )
  const data = { validatorData, incentiveData: word(amount) }
  return referrer === undefined
    ? encodeAbiParameters(
        parseAbiParameters(['Payload payload', 'struct Payload { bytes validatorData; bytes incentiveData; }']),
        [data],
      )
    : encodeAbiParameters(
        parseAbiParameters([
          'Payload payload',
          'struct Payload { bytes validatorData; bytes incentiveData; address referrer; }',
        ]),
        [{ ...data, referrer: referrer as Hex }],
      )
}

function withBit(digits: Hex, bit: number): Hex {
  const at = 2 + 2 * Math.floor(bit / 8)
  const changed = Number.parseInt(digits.slice(at, at + 2), 16) ^ (1 << (bit % 8))
  return `0x${digits.slice(2, at)}${changed.toString(16).padStart(2, '0')}${digits.slice(at + 2)}`
}

/** What was signed, in each form in which it is still that, and with one part of it changed. @param nth decides which bit. */
export async function payloadsOf(of: Signed, nth: number) {
  const isSecond = of.validatorKind.endsWith('V2')
  const signature = await sign({ hash: digestOf(of), privateKey: SIGNER_KEY, to: 'hex' })
  const parts = {
    ...{ by: signer, signature, quantity: QUANTITY, amount: of.amount },
    referrer: isSecond ? REFERRER : undefined,
  }
  const changed: Partial<Parts>[] = [
    { signature: withBit(signature, nth % 256) },
    { signature: withBit(signature, 256 + (nth % 256)) },
    { signature: withBit(signature, 512 + (nth % 8)) },
    { signature: signature.slice(0, -2) as Hex },
    // As some libraries write it, and no contract takes it.
    { signature: `${signature.slice(0, -2)}0${Number(`0x${signature.slice(-2)}`) - 27}` as Hex },
    ...[{ by: OTHER }, { quantity: QUANTITY - 1 }, { amount: of.amount + 1n }],
    ...(isSecond ? [{ referrer: OTHER }, { referrer: undefined }] : []),
  ]
  return {
    // A validator of the first form does not look at a referrer.
    right: [encode(parts), ...(isSecond ? [] : [encode({ ...parts, referrer: OTHER })])],
    wrong: changed.map((change) => encode({ ...parts, ...change })),
  }
}

/** A number from 0 of some text, always the same. */
const numberOf = (text: string) => Number(BigInt(keccak256(stringToHex(text))) % 1_000_003n)

/** Of two campaigns in three the kind is known, and of half of those that take a fee the fee. */
const kindOf = (nth: number) => validatorKinds[nth % 9]
const feeOf = (nth: number) => (Math.floor(nth / 9) % 2 === 0 ? String(10n ** 14n + BigInt(nth)) : undefined)

/** The validators of the random campaigns, and what they have signed for each of the people. */
export async function createSigners() {
  const validators = new Map<string, Validator>()
  const payloads = new Map<string, Awaited<ReturnType<typeof payloadsOf>>>()
  for (const [nth, campaignId] of campaignIds.entries()) {
    const validatorKind = kindOf(nth)
    if (validatorKind === undefined) continue
    for (const [index, claimant] of people.entries()) {
      const amount = SIGNED_AMOUNTS[(nth + index) % SIGNED_AMOUNTS.length] ?? 0n
      const of = { validatorKind, campaignId, claimant, amount }
      payloads.set(`${campaignId} ${claimant}`, await payloadsOf(of, 7 * nth + index))
    }
    const takesFee = validatorKind.startsWith('Payable')
    validators.set(campaignId, {
      ...{ kind: validatorKind, takesFee, claimFee: takesFee ? feeOf(nth) : undefined },
      hasSigned: (claimant, payload) =>
        payloads.get(`${campaignId} ${claimant}`)?.right.some((right) => right === payload) === true,
    })
  }

  /** In the place of a whole payload that is not signed: one that is, one that was changed, and those of others. */
  function replacementOf({ campaignId, claimant, incentiveId, signature }: ClaimSignatureRecord) {
    const number = numberOf(`${campaignId} ${claimant} ${incentiveId} ${signature}`.toLowerCase())
    const own = payloads.get(`${campaignId} ${claimant}`.toLowerCase())
    if (own === undefined || signedIn(signature) === undefined) return signature
    const { right, wrong } = own
    const others = [
      payloads.get(`${campaignId.toLowerCase()} ${people[number % people.length]}`)?.right[0],
      payloads.get(`${campaignIds[number % campaignIds.length]} ${claimant.toLowerCase()}`)?.right[0],
    ]
    const choices = [signature, ...others, ...wrong]
    return number % 3 > 0 ? right[number % right.length] : choices[Math.floor(number / 3) % choices.length]
  }

  return {
    /** The record, with a signature that means something to the validator of its campaign if there is one. */
    toSigned(record: ImportRecord): ImportRecord {
      if (record.type !== 'claimSignature') return record
      return { ...record, signature: replacementOf(record) ?? record.signature }
    },
    /** By ID. A campaign that is claimed by proofs has another kind of validator. */
    validatorsOf(records: readonly ImportRecord[]): Validators {
      const proven = latestOf(records).flatMap((record) =>
        record.type === 'campaign' && record.incentives.some(({ type }) => type === 'TimeBasedIncentive')
          ? [record.id.toLowerCase()]
          : [],
      )
      return new Map([...validators].filter(([id]) => !proven.includes(id)))
    },
  }
}

/** A chain on which there is none of the random campaigns, so that all else that is known of them stays. */
const ASIDE = 77

/** The validators of campaigns as an indexer stores them, and no others. */
export async function setValidators(database: TestDatabase, validators: Validators) {
  await setFollowed(database, ASIDE, 100)
  await database.query('delete from followed_campaigns')
  const origins = [...validators.values()].map(({ kind, claimFee }) => ({ validatorKind: kind, claimFee }))
  await database.query(
    `insert into followed_campaigns (id, chain_id, contracts, origin)
    select id, ${ASIDE}, '{}', origin::json from unnest($1::text[], $2::text[]) as each (id, origin)`,
    [[...validators.keys()], origins.map((origin) => JSON.stringify(origin))],
  )
}
